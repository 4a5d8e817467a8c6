import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { deleteContact } from "../../src/features/contacts/delete";
import { exportContact } from "../../src/features/contacts/export";
import { upsertContact } from "../../src/features/contacts/upsert";
import { removeSuppression } from "../../src/features/suppressions/remove";
import { addOlder, sendAs, sharedFile } from "../support/person";
import { expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("erases, recalls and exports without walking through what a project has", async () => {
  const project = await newProject();
  const before = new World();
  before.settings = { MAIL_PROVIDER: "outbox" };
  const call = { from: `hi@${project.domain}`, subject: "Hi", body: "Hi", attachments: [sharedFile] };
  const [emailId = ""] = await sendAs(before, project, { ...call, to: "ada@example.com", subscribed: false });
  await before.drain();
  const { data } = (await project.api.get("/contacts")).body;
  const contactId: string = data[0].id;
  await addOlder(project, { emailId, contactId }, 1_100);
  await project.api.post("/suppressions", { email: "ada@example.com" });

  const world = new World();
  const { ctx } = await world.context(project);
  const { emails, events } = await exportContact(ctx, readId(contactId));
  for await (const _ of emails);
  for await (const _ of events);
  await deleteContact(ctx, readId(contactId));
  await world.drain();
  await upsertContact(ctx, { email: "ada@example.com" });
  await removeSuppression(ctx, "ada@example.com");

  const statements = new Map(world.statements.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(30);
  await expectBounded(world.statements, [
    // The events of one page.
    { sql: /WHERE before < \?\) page/, step: /TEMP B-TREE FOR ORDER BY/ },
    // The segments of people, and the contents and months of one page of their emails.
    {
      sql: /^UPDATE (segments|email_contents|monthly_usage) .* GROUP BY (project_id, segment_id|e\.project_id, e\.content_id|1, 2, 3)\)/,
      step: /TEMP B-TREE FOR GROUP BY/,
    },
    { sql: /FROM segment_members m INDEXED BY ix_segment_members_contact/, step: /TEMP B-TREE FOR ORDER BY/ },
    // The people of one batch, 1,000 at most.
    { sql: /^SELECT DISTINCT c\.id, c\.email FROM json_each/, step: /TEMP B-TREE FOR (DISTINCT|ORDER BY)/ },
    // The events of two pages, 1,000 each.
    {
      sql: /UNION ALL SELECT \* FROM \(SELECT contact_id, NULL AS campaign_id, id FROM events/,
      step: /TEMP B-TREE FOR ORDER BY/,
    },
    // The emails of one person, whose index is in the order of campaigns.
    { sql: /FROM emails INDEXED BY ux_emails_contact .* ORDER BY id LIMIT/, step: /TEMP B-TREE FOR ORDER BY/ },
  ]);
});
