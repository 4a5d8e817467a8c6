import { expect, it } from "vitest";
import { deleteContact } from "../../src/features/contacts/delete";
import { exportContact } from "../../src/features/contacts/export";
import { upsertContact } from "../../src/features/contacts/upsert";
import { removeSuppression } from "../../src/features/suppressions/remove";
import { addOlder, sendAs, sharedFile } from "../support/person";
import { planOf } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

/** Steps of a plan that grow with the number of rows of a tenant, or of all tenants. */
function isGrowing(step: string): boolean {
  const tables =
    /^SCAN (emails|e|contacts|c|events|email_contents|content|suppressions|s|erased|erased_addresses|segment_members|outbox_messages|jobs)\b/;
  // An index that is entered by the project alone is walked through all that the project has.
  return tables.test(step) || /\(project_id=\?\)$/.test(step) || step.includes("AUTOMATIC");
}

it("erases, recalls and exports without walking through what a project has", async () => {
  const project = await newProject();
  const before = new World();
  before.settings = { MAIL_PROVIDER: "outbox" };
  const call = { from: `hi@${project.domain}`, subject: "Hi", body: "Hi", attachments: [sharedFile] };
  const [emailId = ""] = await sendAs(before, project, { ...call, to: "ada@example.com", subscribed: false });
  await before.drain();
  const { data } = (await project.api.get("/contacts")).body;
  const contactId: string = data[0].id;
  await addOlder({ emailId, contactId }, 1_100);
  await project.api.post("/suppressions", { email: "ada@example.com" });

  const world = new World();
  const { ctx } = await world.context(project);
  const { emails, events } = await exportContact(ctx, contactId);
  for await (const _ of emails);
  for await (const _ of events);
  await deleteContact(ctx, contactId);
  await world.drain();
  await upsertContact(ctx, { email: "ada@example.com" });
  await removeSuppression(ctx, "ada@example.com");

  const statements = new Map(world.statements.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(30);
  for (const { sql, values } of statements.values()) {
    const steps = await planOf({ sql, values });
    expect(steps.filter(isGrowing), sql).toEqual([]);
    // Of one page the contents of its emails are counted, and its events put in order; of people their segments.
    const mayCollect = /GROUP BY (content|segment)_id|WHERE before < \?/.test(sql);
    expect(steps.filter((step) => step.includes("TEMP B-TREE")).length, sql).toBe(mayCollect ? 1 : 0);
  }
});
