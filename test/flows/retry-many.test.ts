import { describe, expect, it } from "vitest";
import { type Id, publicId, readId } from "../../src/core/ids";
import { sendCampaign } from "../../src/features/campaigns/send";
import { deleteContact } from "../../src/features/contacts/delete";
import { cancelEmail } from "../../src/features/emails/cancel";
import { RetryEmails } from "../../src/features/emails/retry-many/schema";
import { startRetry } from "../../src/features/emails/retry-many/start";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import type { Death } from "../support/killable";
import { recounted, storedCounts } from "../support/ledger";
import { addOlder, sendAs } from "../support/person";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, uuid } from "../support/refusal";
import { emailRows } from "../support/rows";
import { sample } from "../support/sample";
import { accepts, World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Mails these people while the provider refuses some, and gives no answer about others. Then it is well again. */
async function outage(world: World, project: TestProject, names: string[], more: object = {}): Promise<string[]> {
  const to = names.map((name) => `${name}@example.com`);
  const ids = await sendAs(world, project, {
    to,
    ...{ from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>", ...more },
  });
  world.answer = ({ to }) => {
    if (to.email.startsWith("failed")) return { kind: "refused", reason: "Not today" };
    return to.email.startsWith("unknown") ? { kind: "unknown", reason: "No answer" } : accepts();
  };
  await world.drain();
  world.answer = accepts;
  world.taken = [];
  return ids;
}

async function start(world: World, project: TestProject, fields: Record<string, unknown>): Promise<Id> {
  return startRetry((await world.context(project)).ctx, RetryEmails.parse(fields));
}

async function jobOf(project: TestProject, id: Id) {
  return (await project.api.get(`/jobs/${publicId(id)}`)).body;
}

/** Sends emails again, and returns the job when the queue is empty. */
async function retry(world: World, project: TestProject, fields: Record<string, unknown>) {
  const id = await start(world, project, fields);
  await world.drain();
  return jobOf(project, id);
}

const takenBy = (world: World) => world.taken.map(({ to }) => to.email.split("@")[0]).sort();

async function statuses(project: TestProject): Promise<Record<string, string>> {
  const rows = await emailRows(project);
  return Object.fromEntries(rows.map(({ to_email, status }) => [to_email.split("@")[0], status]));
}

const usage = (project: TestProject) =>
  project.db
    .prepare("SELECT sum(emails) AS emails FROM monthly_usage WHERE project_id = ?")
    .bind(project.id)
    .first("emails");

const done = (retried: number, skipped: Record<string, number> = {}) => ({
  type: "emails.retry",
  status: "completed",
  progress: 100,
  result: { retried, skipped: { content_gone: 0, monthly_limit: 0, ...skipped } },
});

describe("POST /emails/retry", () => {
  it("sends exactly the emails of the status again, and counts those whose content or contact is gone", async () => {
    const [world, project, other] = [new World(), await newProject(), await newProject()];
    await outage(world, other, ["failed-1"]);
    const sent = await outage(world, project, ["failed-1", "failed-2", "failed-3", "failed-4", "unknown", "well"]);
    const forgotten = "UPDATE emails SET is_forgotten = true WHERE project_id = ? AND id = ?";
    await project.db.prepare(forgotten).bind(project.id, sent[2]).run();
    const { body: erased } = await project.api.get(`/emails/${sent[3]}`);
    await deleteContact((await world.context(project)).ctx, readId(erased.contactId));
    await world.drain();
    expect(await retry(world, project, { status: "FAILED" })).toMatchObject(done(2, { content_gone: 2 }));
    expect(takenBy(world)).toEqual(["failed-1", "failed-2"]);
    expect(await statuses(project)).toMatchObject({
      ...{ "failed-1": "SENT", "failed-2": "SENT", "failed-3": "FAILED", unknown: "UNKNOWN", well: "SENT" },
    });
    expect(await statuses(other)).toEqual({ "failed-1": "FAILED" });
    const { body: again } = await project.api.get(`/emails/${sent[0]}`);
    expect(again).toMatchObject({ attempts: 1, error: null, settledBy: null });
  });

  it("sends what may have arrived only when that is said, and then without new quota", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 2 })];
    await outage(world, project, ["unknown-1", "unknown-2"]);
    expect(await retry(world, project, { status: "FAILED" })).toMatchObject(done(0));
    expect(await retry(world, project, { status: "UNKNOWN" })).toMatchObject(done(2));
    expect(takenBy(world)).toEqual(["unknown-1", "unknown-2"]);
    expect(await usage(project)).toBe(2);
    const { data } = (await project.api.get("/emails")).body;
    expect(data.map(({ settledBy }: { settledBy: string }) => settledBy)).toEqual(["person", "person"]);
  });

  it("opens cancelled emails within the month's limit, oldest first, and they wait for their time", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 3 })];
    const scheduledAt = new Date(world.now + 5 * minuteMs).toISOString();
    const { ctx } = await world.context(project);
    for (const id of await outage(world, project, ["a", "b", "c"], { scheduledAt })) await cancelEmail(ctx, readId(id));
    await outage(world, project, ["d", "e"]);
    expect(await usage(project)).toBe(2);
    expect(await retry(world, project, { status: "CANCELLED" })).toMatchObject(done(1, { monthly_limit: 2 }));
    const after = { a: "QUEUED", b: "CANCELLED", c: "CANCELLED", d: "SENT", e: "SENT" };
    expect(await statuses(project)).toEqual(after);
    expect([await usage(project), world.taken]).toEqual([3, []]);
    await world.pass(5);
    expect(takenBy(world)).toEqual(["a"]);
  });

  it("keeps to the time of creation and to the campaign", async () => {
    const [world, project] = [new World(), await newProject()];
    const today = world.now;
    for (const [days, name] of [
      [3, "failed-early"],
      [2, "failed-then"],
      [0, "failed-late"],
    ] as const) {
      world.now = today - days * dayMs;
      await outage(world, project, [name]);
    }
    const day = new Date(today - 2 * dayMs).toISOString();
    const [from, to] = [new Date(today - 2 * dayMs - 1).toISOString(), day];
    expect(await retry(world, project, { status: "FAILED", from, to })).toMatchObject(done(1));
    expect(takenBy(world)).toEqual(["failed-then"]);
    expect(await retry(world, project, { status: "FAILED", to: day.slice(0, 10) })).toMatchObject(done(1));
    expect(takenBy(world)).toEqual(["failed-early", "failed-then"]);
    const { id } = await newCampaign(project);
    expect(await retry(world, project, { status: "FAILED", campaignId: id })).toMatchObject(done(0));
    expect(await statuses(project)).toMatchObject({ "failed-late": "FAILED" });
  });

  it("counts the emails of a campaign anew", async () => {
    const [world, project] = [new World(), await newProject()];
    await outage(world, project, ["failed"]);
    await addContacts(project, 3);
    const { id } = await newCampaign(project, { audienceType: "ALL", type: "TRANSACTIONAL" });
    const { ctx } = await world.context(project);
    world.answer = ({ to }) => (to.email.startsWith("0-") ? { kind: "refused", reason: "Not today" } : accepts());
    await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
    await world.pass(4);
    const stats = async () => (await project.api.get(`/campaigns/${id}/stats`)).body;
    expect(await stats()).toMatchObject({ failedCount: 1, sentCount: 3 });
    Object.assign(world, { answer: accepts, taken: [] });
    expect(await retry(world, project, { status: "FAILED", campaignId: id })).toMatchObject(done(1));
    await world.pass(4);
    expect(takenBy(world)).toEqual(["0-1"]);
    expect((await project.api.get("/emails?status=FAILED")).body).toMatchObject({ total: 1 });
    expect(await stats()).toMatchObject({ failedCount: 0, sentCount: 4 });
    const campaign = { id: readId(id), pages: [], emailIds: [] };
    expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
  });

  it("is completed with 0 when nothing matches", async () => {
    const [world, project] = [new World(), await newProject()];
    expect(await retry(world, project, { status: "FAILED" })).toMatchObject(done(0));
  });

  it("answers with the job, and refuses what it cannot mean", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { status, body } = await project.api.post("/emails/retry", { status: "FAILED", from: "2026-01-31" });
    expect([status, body]).toEqual([202, { jobId: expect.stringMatching(uuid), status: "queued" }]);
    expectInvalid(await project.api.post("/emails/retry", {}), "status", "required");
    expectInvalid(await project.api.post("/emails/retry", { status: "SENT" }), "status", "invalid_enum_value");
    const dates = { from: "2026-02-01", to: "2026-01-31" };
    expectInvalid(await project.api.post("/emails/retry", { status: "FAILED", ...dates }), "to", "custom");
    expectInvalid(
      await project.api.post("/emails/retry", { status: "FAILED", from: "noon" }),
      "from",
      "invalid_string",
    );
    // A filter that is not known would otherwise send the mail of everybody else again.
    const filters = { startDate: "2026-01-31", contactId: project.id };
    const narrow = await project.api.post("/emails/retry", { status: "FAILED", ...filters });
    for (const field of Object.keys(filters)) expectInvalid(narrow, field, "custom");
    const { id: campaignId } = await newCampaign(other);
    const foreign = await project.api.post("/emails/retry", { status: "FAILED", campaignId });
    expectRefusal(foreign, 404, "CAMPAIGN_NOT_FOUND", { details: { resource: "campaign", id: campaignId } });
  });
});

/** More steps than a run takes: the last deaths never come. */
const deaths: Death[] = Array.from({ length: 12 }, (_, n) => n + 1).flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);

async function expectDone(world: World, project: TestProject, id: Id): Promise<void> {
  expect(await jobOf(project, id)).toMatchObject(done(2));
  expect(takenBy(world)).toEqual(["failed-1", "failed-2"]);
  expect(await usage(project)).toBe(3);
}

describe("the job of POST /emails/retry", () => {
  it.each(sample(deaths))("killed $when step $atStep, sends each email again once", async (death) => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 10 })];
    await outage(world, project, ["failed-1", "failed-2", "unknown"]);
    const id = await start(world, project, { status: "FAILED" });
    await world.runAndDie(death);
    await world.pass(6);
    await expectDone(world, project, id);
  });

  it("sends each email again once when runs overlap, when its message comes twice, and beside another job", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 10 })];
    await outage(world, project, ["failed-1", "failed-2", "unknown"]);
    const ids = [await start(world, project, { status: "FAILED" }), await start(world, project, { status: "FAILED" })];
    const run = (jobId: Id) =>
      handleMessage(world.process().platform, { type: "emails.retry", projectId: project.number, jobId });
    await Promise.all([...ids, ...ids].map(run));
    await world.drain();
    await Promise.all(ids.map(run));
    await world.pass(2);
    const jobs = await Promise.all(ids.map((id) => jobOf(project, id)));
    expect(jobs.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(jobs.reduce((sum, { result }) => sum + result.retried, 0)).toBe(2);
    expect([takenBy(world), await usage(project)]).toEqual([["failed-1", "failed-2"], 3]);
  });

  it("goes on where it was, in steps that read no more because a project has more", async () => {
    const [world, project] = [new World(), await newProject()];
    const scheduledAt = new Date(world.now + hourMs).toISOString();
    const [emailId = ""] = await outage(world, project, ["ada"], { scheduledAt });
    const { body: email } = await project.api.get(`/emails/${emailId}`);
    await addOlder(project, { emailId, contactId: email.contactId }, 1_100);
    const failed = "UPDATE emails SET status = 'FAILED', due_at = NULL, next_attempt_at = NULL WHERE project_id = ?";
    await project.db.prepare(failed).bind(project.id).run();
    const before = world.statements.length;
    const id = await start(world, project, { status: "FAILED" });
    await world.runAndDie({ atStep: 8, when: "after" });
    const { status, result } = await jobOf(project, id);
    expect([status, result.retried]).toEqual(["processing", 500]);
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject(done(1_101));
    expect(new Set((await emailRows(project)).map((row) => row.status))).toEqual(new Set(["QUEUED"]));
    await expectBounded(world.statements.slice(before));
  });
});
