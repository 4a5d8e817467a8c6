import { afterEach, expect, it, vi } from "vitest";
import { writeTag } from "../../src/core/mail/tag";
import { callAtFault, envBehind } from "../support/cloud";
import { DatabaseFault, everyTrip, type FaultName, faultNames, fromWrite, staying } from "../support/database-fault";
import { FaultTally, harmBetween } from "../support/fault-tally";
import { Outside } from "../support/outside";
import { newProject } from "../support/project";
import { resendDouble } from "../support/provider-doubles";
import { postHook, svix } from "../support/provider-hooks";

const tally = new FaultTally("Reports of providers");

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A report of a hard bounce, at a fault and then again, as a provider repeats what was not answered with 200. */
async function reportTwice(faults: FaultName[], meant = fromWrite(1)) {
  const project = await newProject();
  const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hi", body: "Hi" };
  const sent = await callAtFault("POST", "/v1/send", {
    key: project.keys.secret,
    body: mail,
    fault: new DatabaseFault([]),
  });
  const emailId = sent.body.data.emails[0].email;
  await project.db
    .prepare("UPDATE emails SET status = 'SENT', provider = 'resend', due_at = NULL WHERE project_id = ? AND id = ?")
    .bind(project.number, emailId)
    .run();
  const data = {
    email_id: "m-1",
    tags: { petrel: writeTag({ projectId: project.id, emailId }) },
    bounce: { type: "Permanent", subType: "General", message: "No such user" },
  };
  const hook = svix(JSON.stringify({ type: "email.bounced", created_at: new Date().toISOString(), data }));
  const { settings } = resendDouble(new Outside());
  const fault = new DatabaseFault(faults, meant.isMeant);
  const first = await postHook("resend", hook, { ...envBehind((trip, make) => fault.meet(trip, make)), ...settings });
  const second = await postHook("resend", hook, { ...envBehind((_, make) => make()), ...settings });
  const { results } = await project.db
    .prepare("SELECT name FROM events WHERE project_id = ? ORDER BY id")
    .bind(project.number)
    .all<{ name: string }>();
  const email = await project.api.get(`/emails/${emailId}`);
  return { statuses: [first.status, second.status], events: results.map(({ name }) => name), email: email.body.status };
}

function rowsOf({ events, email }: { events: string[]; email: string }): string[] {
  return [...events.map((name) => `events ${name}`), `emails ${email}`];
}

it.each(faultNames)("a provider's report is a 503 at first, and counts once when it comes again: %s", async (name) => {
  const good = await reportTwice([]);
  expect(good).toMatchObject({ statuses: [200, 200], email: "BOUNCED" });
  const reported = await reportTwice([name]);
  tally.add("email.bounced", name, harmBetween(rowsOf(good), rowsOf(reported)));
  expect(reported).toEqual({ ...good, statuses: [503, 200] });
});

it("a provider's report is a 503 without the database", async () => {
  const { statuses, email } = await reportTwice(staying("connection lost"), everyTrip());
  expect([statuses, email]).toEqual([[503, 200], "BOUNCED"]);
});

it("is what the table of docs/faults.md says", () => tally.expectAsDocumented());
