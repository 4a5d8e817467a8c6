import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openBatch } from "../../src/db/batch";
import { replaceReferences } from "../../src/engine/audience/record-references";
import { deleteField } from "../../src/features/contacts/fields/delete";
import { listFields } from "../../src/features/contacts/fields/list";
import { queueFieldCounts } from "../../src/features/contacts/fields/queue-counts";
import { fieldUsage } from "../../src/features/contacts/fields/usage";
import { fieldValues } from "../../src/features/contacts/fields/values";
import { planOf } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

/** Of these no statement may see more than it asks an index for. */
const large = /\b(contacts|events|jobs|audience_references)\b/;

/** Entered by the project alone: the newest contacts, and, when there are few, all for a deletion at once. */
const isBounded = (sql: string) => /ORDER BY id DESC LIMIT/.test(sql) || /^UPDATE contacts /.test(sql.trim());

function isGrowing(step: string, sql: string): boolean {
  if (/^SCAN /.test(step)) return large.test(step);
  if (/USING (COVERING )?INDEX \S+ \(project_id=\?\)$/.test(step) && large.test(step)) return !isBounded(sql);
  // What is sorted or grouped comes out of a bounded page or has a row a project, and never is it to find that page.
  return /TEMP B-TREE/.test(step) && !/json_each|DISTINCT|FROM contact_counts WHERE total/.test(sql);
}

it("lists, looks into, counts and deletes fields in bounded pages, by index", async () => {
  const project = await newProject();
  await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro", age: 1, vip: true } });
  const world = new World();
  const { ctx } = await world.context(project);
  await listFields(ctx);
  for (const field of ["data.plan", "email", "createdAt"]) {
    await fieldValues(ctx, field, 100);
    await fieldUsage(ctx, field);
  }
  const segment = { referrer: "segment" as const, id: "s", name: "S" };
  const batch = openBatch(ctx);
  batch.addAll(replaceReferences(ctx, segment, { fields: ["data.plan"] }));
  await batch.commit();
  await deleteField(ctx, "data.plan");
  // As many as make the project a large one, without the contacts.
  await env.DB.prepare("UPDATE contact_counts SET total = 30000 WHERE project_id = ?").bind(project.id).run();
  await deleteField(ctx, "data.age");
  await queueFieldCounts(world.process().platform);
  await world.drain();

  const ours = world.statements.filter(({ sql }) => /contact|field|audience|jobs/.test(sql));
  expect(ours.length).toBeGreaterThan(25);
  for (const { sql, values } of ours) {
    const steps = await planOf({ sql, values });
    expect(
      steps.filter((step) => isGrowing(step, sql)),
      sql,
    ).toEqual([]);
  }
});
