import { expect, it } from "vitest";
import { listSegmentContacts } from "../../src/features/segments/contacts";
import { createSegment } from "../../src/features/segments/create";
import { deleteSegment } from "../../src/features/segments/delete";
import { explainSegment } from "../../src/features/segments/explain";
import { listSegments } from "../../src/features/segments/list";
import { addMembers, removeMembers } from "../../src/features/segments/members";
import { previewSegment } from "../../src/features/segments/preview";
import { AddMembers } from "../../src/features/segments/schema";
import { updateSegment } from "../../src/features/segments/update";
import { planOf } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { newContact, only } from "../support/segment";
import { World } from "../support/world";

/** Steps of a plan that grow with the number of rows of a tenant, or of all tenants. */
const growing =
  /^SCAN (contacts|c|events|e|segment_members|m|segments|s|audience_references|r|jobs|j)\b(?!.*VIRTUAL)|AUTOMATIC/;

/** The same by an index that is entered by the project alone. But contacts are walked through by id, in windows. */
const walking =
  /^SEARCH (?!c USING (COVERING )?INDEX ix_contacts_project_id)(contacts|c|events|e|segment_members|m|audience_references|r|jobs|j) .*\(project_id=\?\)$/;

async function plansOf(world: World): Promise<Map<string, string[]>> {
  const plans = new Map<string, string[]>();
  for (const { sql, values } of world.statements) {
    plans.set(sql, await planOf({ sql, values }));
  }
  return plans;
}

async function makeEveryCall(world: World, project: TestProject): Promise<void> {
  const { ctx } = await world.context(project);
  const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
  const fixed = await createSegment(ctx, { name: "Fixed", type: "STATIC", trackMembership: true });
  const emails = ["ada@example.com", "bob@example.com"];
  await addMembers(ctx, fixed.id, AddMembers.parse({ emails, createMissing: true }));
  const inner = await createSegment(ctx, { name: "Inner", condition: only("purchase", "triggered") });
  const outer = await createSegment(ctx, {
    name: "Outer",
    condition: {
      logic: "OR",
      groups: [
        { filters: [{ field: "data.plan", operator: "equals", value: "pro" }] },
        { filters: [{ field: `segment.${inner.id}`, operator: "memberOfSegment" }] },
        { filters: [{ field: `segment.${fixed.id}`, operator: "notMemberOfSegment" }] },
      ],
    },
  });
  const other = only("purchase", "triggeredWithin", 1, "days");
  await updateSegment(ctx, inner.id, { condition: other, trackMembership: true });
  await listSegments(ctx);
  for (const id of [fixed.id, outer.id]) {
    await listSegmentContacts(ctx, id, { page: 1, pageSize: 1 });
    await listSegmentContacts(ctx, id, { page: 2, pageSize: 1 });
    await explainSegment(ctx, id, ada.id);
  }
  await previewSegment(ctx, other);
  await removeMembers(ctx, fixed.id, AddMembers.parse({ emails }));
  await deleteSegment(ctx, outer.id);
}

it("no call about segments walks through what a project has, but in bounded windows", async () => {
  const project = await newProject();
  const world = new World();
  await makeEveryCall(world, project);
  const plans = await plansOf(world);
  expect(plans.size).toBeGreaterThan(35);
  for (const [sql, steps] of plans) {
    const bad = steps.filter((step) => growing.test(step) || walking.test(step));
    expect(bad, sql).toEqual([]);
    // Contacts come in their order; of a window, those that match are put in order by themselves.
    const isOfNotes = sql.includes("FROM matching ORDER BY id");
    if (/ORDER BY (c\.id|contact_id)/.test(sql) && !isOfNotes) {
      expect(steps.join("\n"), sql).not.toContain("TEMP B-TREE FOR ORDER BY");
    }
  }
});
