import { describe, expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { sample } from "../support/sample";
import { World } from "../support/world";

const recipients = ["ada@example.com", "bob@example.com", "cyd@example.com"];
/** Long enough for a lease to end, and for the sweep and the message that follow. */
async function passAWhile(world: World): Promise<void> {
  await world.pass(4);
  await world.pass(8, 4);
}

/** More steps than any of these paths takes: the last deaths never come, and must change nothing. */
const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const deaths: Death[] = steps.flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);
const name = ({ atStep, when }: Death) => `${when} step ${atStep}`;

function callOf(project: TestProject, to: string | string[] = recipients) {
  return SendEmail.parse({ to, from: `hello@${project.domain}`, subject: "Hello", body: "<p>{{ email }}</p>" });
}

async function accept(world: World, project: TestProject): Promise<void> {
  const { ctx } = await world.context(project);
  await sendEmails(ctx, callOf(project));
}

describe("a consumer killed at any step, with a provider that takes the same mail twice", () => {
  it.each(sample(deaths.map((death) => [name(death), death] as const)))(
    "%s: no mail lost, none sent twice",
    async (_, death) => {
      const project = await newProject();
      const world = new World();
      await accept(world, project);
      const taken = await world.runAndDie(death);
      await passAWhile(world);

      const rows = await emailRows(project);
      expect(rows.map((row) => row.to_email)).toEqual(recipients);
      const wasHanded = taken.filter((step) => step === "batch").length >= 2;
      for (const row of rows) {
        const copies = world.taken.filter((message) => message.emailId === row.id).length;
        expect(copies, `${row.to_email} was sent ${copies} times`).toBeLessThanOrEqual(1);
        if (row.status === "SENT") expect(copies).toBe(1);
        // Only a mail that had been handed over may end without an answer.
        else expect([row.status, wasHanded]).toEqual(["UNKNOWN", true]);
      }
      expect((await eventCounts(project))["email.sent"] ?? 0).toBe(rows.filter((row) => row.status === "SENT").length);
    },
  );

  it("leaves no more than one round uncertain", async () => {
    const project = await newProject();
    const world = new World();
    const { ctx } = await world.context(project);
    const many = Array.from({ length: 60 }, (_, index) => `r${index}@example.com`);
    await sendEmails(ctx, callOf(project, many));
    // The permit, read, hand, 25 calls; then the account is asked again, and a batch records them.
    await world.runAndDie({ atStep: 29, when: "before" });
    await passAWhile(world);
    const statuses = (await emailRows(project)).map((row) => row.status);
    expect(statuses.filter((status) => status === "UNKNOWN")).toHaveLength(25);
    expect(statuses.filter((status) => status === "SENT")).toHaveLength(35);
    expect(new Set(world.taken.map((message) => message.emailId)).size).toBe(world.taken.length);
  });
});

describe("a consumer killed at any step, with a provider that recognises a mail that comes again", () => {
  it.each(sample(deaths.map((death) => [name(death), death] as const)))("%s: every mail is sent", async (_, death) => {
    const project = await newProject();
    const world = new World();
    world.idempotencyWindowMs = 24 * 3_600_000;
    const seen = new Set<string>();
    world.answer = ({ emailId }) => {
      seen.add(emailId);
      return { kind: "accepted", providerMessageId: emailId, reports: [] };
    };
    await accept(world, project);
    await world.runAndDie(death);
    await passAWhile(world);
    const rows = await emailRows(project);
    expect(rows.map((row) => row.status)).toEqual(["SENT", "SENT", "SENT"]);
    expect([...seen].sort()).toEqual(rows.map((row) => row.id).sort());
    expect(await eventCounts(project)).toEqual({ "email.sent": 3 });
    // Whatever came again came with the very same bytes, or the provider would call it another mail.
    const first = new Map(world.taken.map((message) => [message.emailId, message]));
    for (const message of world.taken) expect(message).toEqual(first.get(message.emailId));
  });
});

describe("a consumer killed at any step, with a mail that the hand-over refuses", () => {
  it.each(deaths.slice(0, 16).map((death) => [name(death), death] as const))("%s: it ends once", async (_, death) => {
    const project = await newProject();
    const world = new World();
    await accept(world, project);
    await project.api.post("/suppressions", { email: "bob@example.com", reason: "complaint" });
    await world.runAndDie(death);
    await passAWhile(world);
    const rows = await emailRows(project);
    expect(rows.map(({ to_email, status }) => [to_email, status])).toEqual([
      ["ada@example.com", expect.stringMatching(/^(SENT|UNKNOWN)$/)],
      ["bob@example.com", "SUPPRESSED"],
      ["cyd@example.com", expect.stringMatching(/^(SENT|UNKNOWN)$/)],
    ]);
    expect(world.taken.map(({ to }) => to.email)).not.toContain("bob@example.com");
    const usage = project.db.prepare("SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?");
    expect(await usage.bind(project.number).first("n")).toBe(2);
  });
});

describe("a send killed at any step", () => {
  it.each(deaths.slice(0, 6).map((death) => [name(death), death] as const))("%s: all or nothing", async (_, death) => {
    const project = await newProject();
    const world = new World();
    const { ctx } = await world.context(project, death);
    const isAnswered = await sendEmails(ctx, callOf(project)).then(
      () => true,
      (error: unknown) => {
        if (wasKilled(error)) return false;
        throw error;
      },
    );
    await world.pass(5);
    const rows = await emailRows(project);
    if (isAnswered || rows.length > 0) {
      expect(rows.map((row) => row.status)).toEqual(["SENT", "SENT", "SENT"]);
      expect(world.taken).toHaveLength(3);
    } else {
      expect([rows.length, world.taken.length]).toEqual([0, 0]);
    }
  });

  it("takes one database round trip and one queue send", async () => {
    const project = await newProject();
    const world = new World();
    const { ctx, process } = await world.context(project);
    await sendEmails(ctx, callOf(project));
    expect(process.steps).toEqual(["batch", "enqueue"]);
    // Nothing stays behind for the sweeps of other tests.
    await world.drain();
  });
});

it("does not blame a mail for a database that fails again and again before its hand-over", async () => {
  const project = await newProject();
  const world = new World();
  const { ctx } = await world.context(project);
  await sendEmails(ctx, callOf(project, "ada@example.com"));
  await project.db
    .prepare(
      `CREATE TRIGGER no_hand_over BEFORE UPDATE OF status ON emails WHEN NEW.status = 'SENDING'
        BEGIN SELECT RAISE(ABORT, 'The database is busy'); END`,
    )
    .run();
  try {
    for (let delivery = 0; delivery < 6; delivery++) await world.drain().catch(() => {});
  } finally {
    await project.db.prepare("DROP TRIGGER no_hand_over").run();
  }
  await world.pass(5);
  expect((await emailRows(project)).map(({ status }) => status)).toEqual(["SENT"]);
});
