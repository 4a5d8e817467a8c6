import { expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { listSegmentContacts } from "../../src/features/segments/contacts";
import { createSegment } from "../../src/features/segments/create";
import { deleteSegment } from "../../src/features/segments/delete";
import { explainSegment } from "../../src/features/segments/explain/explain";
import { listSegments } from "../../src/features/segments/list";
import { addMembers, removeMembers } from "../../src/features/segments/members/members";
import { AddMembers } from "../../src/features/segments/members/schema";
import { previewSegment } from "../../src/features/segments/preview/preview";
import { updateSegment } from "../../src/features/segments/update";
import { expectBounded, matchesOfWindow, namesOfCondition, segmentsReached, trashOfProject } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { newContact, only } from "../support/segment";
import { World } from "../support/world";

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
        { filters: [{ field: `segment.${publicId(inner.id)}`, operator: "memberOfSegment" }] },
        { filters: [{ field: `segment.${publicId(fixed.id)}`, operator: "notMemberOfSegment" }] },
      ],
    },
  });
  const other = only("purchase", "triggeredWithin", 1, "days");
  await updateSegment(ctx, inner.id, { condition: other, trackMembership: true });
  await listSegments(ctx);
  for (const id of [fixed.id, outer.id]) {
    await listSegmentContacts(ctx, id, { page: 1, pageSize: 1 });
    await listSegmentContacts(ctx, id, { page: 2, pageSize: 1 });
    await explainSegment(ctx, id, { contactId: readId(ada.id) });
  }
  await previewSegment(ctx, other);
  await removeMembers(ctx, fixed.id, AddMembers.parse({ emails }));
  await deleteSegment(ctx, outer.id);
}

it("no call about segments walks through what a project has, but in bounded windows", async () => {
  const project = await newProject();
  const world = new World();
  await makeEveryCall(world, project);
  expect(new Set(world.statements.map(({ sql }) => sql)).size).toBeGreaterThan(35);
  await expectBounded(world.statements, [
    namesOfCondition,
    segmentsReached,
    matchesOfWindow,
    trashOfProject,
    // The slugs that were tried for one segment.
    { sql: /RECURSIVE tried/, step: /TEMP B-TREE FOR ORDER BY/ },
  ]);
});
