import { expect, it } from "vitest";
import { newId } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { replaceReferences } from "../../src/engine/audience/record-references";
import { deleteField } from "../../src/features/contacts/fields/delete";
import { listFields } from "../../src/features/contacts/fields/list";
import { queueFieldCounts } from "../../src/features/contacts/fields/queue-counts";
import { fieldUsage } from "../../src/features/contacts/fields/usage";
import { fieldValues } from "../../src/features/contacts/fields/values";
import { expectBounded, namesOfCondition } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

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
  const segment = { referrer: "segment" as const, id: newId(), name: "S" };
  const batch = openBatch(ctx);
  batch.addAll(replaceReferences(ctx, segment, { fields: ["data.plan"] }));
  await batch.commit();
  await deleteField(ctx, "data.plan");
  // As many as make the project a large one, without the contacts.
  await project.db.prepare("UPDATE project_counts SET contacts = 30000 WHERE project_id = ?").bind(project.id).run();
  await deleteField(ctx, "data.age");
  await queueFieldCounts(world.process().platform);
  await world.drain();

  expect(world.statements.length).toBeGreaterThan(25);
  const newest = /FROM contacts WHERE project_id = \? ORDER BY id DESC LIMIT/;
  await expectBounded(world.statements, [
    // The newest contacts, as many as are looked at, and what is found in them.
    { sql: newest, step: /^SEARCH contacts|TEMP B-TREE/ },
    { sql: /ORDER BY id LIMIT \?\) c CROSS JOIN json_each\(c\.data\) f/, step: /TEMP B-TREE FOR GROUP BY/ },
    namesOfCondition,
    // A row for each project.
    {
      sql: /FROM project_counts c LEFT JOIN jobs j .* WHERE c\.contacts > \?/,
      step: /^SCAN c|TEMP B-TREE FOR ORDER BY/,
    },
  ]);
});
