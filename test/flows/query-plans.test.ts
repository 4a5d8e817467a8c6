import { it } from "vitest";
import { readId } from "../../src/core/ids";
import { queryContacts } from "../../src/features/contacts/query";
import { listContactSegments } from "../../src/features/contacts/segments/list";
import { addContacts } from "../support/campaign";
import { expectBounded, matchesOfWindow } from "../support/plan";
import { newProject } from "../support/project";
import { isPro, newContact, newSegment, only } from "../support/segment";
import { World } from "../support/world";

it("a query reads windows of contacts, and the segments of a contact one contact", async () => {
  const [world, project] = [new World(), await newProject()];
  await addContacts(project, 300);
  const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
  await newSegment(project);
  const { ctx } = await world.context(project);
  const condition = only("subscribed", "equals", true);
  const { cursor } = await queryContacts(ctx, { condition, limit: 10 });
  await queryContacts(ctx, { condition, limit: 10, cursor });
  await queryContacts(ctx, { condition: isPro, search: "ada", dir: "asc" });
  await listContactSegments(ctx, readId(ada.id));
  await expectBounded(world.statements, [
    matchesOfWindow,
    // A project has 1,000 segments at most.
    { sql: /FROM segments s LEFT JOIN segment_members m/, step: /^SEARCH s USING INDEX .* \(project_id=\?\)$/ },
  ]);
});
