import { describe, expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { handleMessage } from "../../src/queue";
import { DatabaseFault, staying } from "../support/database-fault";
import type { Death, Trip } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { accepts, World } from "../support/world";

const minuteMs = 60_000;
/** What a consumer hands over at once. */
const round = 25;

async function scene(mails: number, body = "<p>Hi</p>") {
  const [project, world] = [await newProject(), new World()];
  const { ctx } = await world.context(project);
  const to = Array.from({ length: mails }, (_, index) => `r${String(index).padStart(3, "0")}@example.com`);
  await sendEmails(ctx, SendEmail.parse({ to, from: `hi@${project.domain}`, subject: "Hi", body }));
  return { project, world };
}

interface Row {
  status: string;
  attempts: number;
  handed_at: number | null;
  abandonments: number;
}

async function rowsOf(project: TestProject): Promise<Row[]> {
  const { results } = await project.db
    .prepare("SELECT status, attempts, handed_at, abandonments FROM emails WHERE project_id = ?")
    .bind(project.number)
    .all<Row>();
  return results;
}

const countOf = (rows: Row[], status: string) => rows.filter((row) => row.status === status).length;

/** The mails of each hand-over, in order. */
function handOvers(world: World): number[] {
  return world.statements
    .filter(({ sql }) => sql.includes("SET status = 'SENDING', round"))
    .map(({ values }) => {
      const items = values.find((value) => typeof value === "string" && value.startsWith('[{"emailId"'));
      return JSON.parse(String(items)).length;
    });
}

/** Answers the first calls, and all others in another way. */
function answerFirst(world: World, calls: number, then: World["answer"]): void {
  let made = 0;
  world.answer = (message) => (++made <= calls ? accepts() : then(message));
}

const threw = () => {
  throw new Error("The network is gone");
};

/** The first message, and nothing after it. */
async function deliverOnce(world: World, more = {}): Promise<void> {
  const [first] = world.queue.splice(0, 1);
  if (first) await handleMessage({ ...world.process().platform, ...more }, first.queued.message);
}

async function expectOthersSentOnce(world: World, project: TestProject, lost: number): Promise<void> {
  world.answer = accepts;
  await world.pass(15);
  const rows = await rowsOf(project);
  expect(countOf(rows, "SENT")).toBe(rows.length - lost);
  expect(countOf(rows, "UNKNOWN")).toBe(lost);
  expect(rows.every(({ status, attempts }) => status !== "SENT" || attempts === 1)).toBe(true);
  expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
  expect(await eventCounts(project)).toEqual({ "email.sent": rows.length - lost });
}

describe("mail with a call each", () => {
  it("is handed over in batches of 25, five calls at once", async () => {
    const { world } = await scene(100);
    const before = world.batches.length;
    let [open, most] = [0, 0];
    world.answer = async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 0));
      open -= 1;
      return accepts();
    };
    await world.drain();
    expect(world.taken).toHaveLength(100);
    expect(handOvers(world)).toEqual([round, round, round, round]);
    // One reads, four hand over, one records the last round. The reputation is judged in others, now and then.
    const judging = (texts: string[]) => texts.some((text) => text.includes("DELETE FROM sending_blocks"));
    expect(world.batches.slice(before).filter((texts) => !judging(texts))).toHaveLength(6);
    expect(most).toBe(5);
  });

  it("asks the account once for each round", async () => {
    const { world } = await scene(100);
    const { platform, process } = world.process();
    const [first] = world.queue;
    if (first) await handleMessage(platform, first.queued.message);
    expect(process.steps.filter((step) => step === "may go on")).toHaveLength(3);
  });

  it("is handed over in smaller batches when it is larger: four megabytes and a mail", async () => {
    const { world } = await scene(20, `<p>${"words ".repeat(50_000)}</p>`);
    await world.drain();
    expect(world.taken).toHaveLength(20);
    const batches = handOvers(world);
    expect(Math.max(...batches)).toBeLessThanOrEqual(9);
    expect(batches.length).toBeLessThanOrEqual(4);
  });

  it("of a consumer that shares its calls is handed over five at a time", async () => {
    const { world } = await scene(20);
    await deliverOnce(world, { callsAtOnce: 1 });
    expect(handOvers(world)).toEqual([5, 5, 5, 5]);
  });

  it("makes no call so late that it would outlast its lease", async () => {
    const { project, world } = await scene(5);
    world.answer = () => {
      world.now += 20_000;
      return accepts();
    };
    await deliverOnce(world, { callsAtOnce: 1 });
    expect(world.taken).toHaveLength(2);
    const rows = await rowsOf(project);
    expect(rows.filter(({ status, attempts }) => status === "QUEUED" && attempts === 0)).toHaveLength(3);
    await expectOthersSentOnce(world, project, 0);
  });
});

describe("an account that takes no more in the middle of a round", () => {
  it.each([5, 2, 1])("costs the mails of the %i open calls and of three when it goes away", async (callsAtOnce) => {
    const { project, world } = await scene(60);
    answerFirst(world, 32, threw);
    await deliverOnce(world, { callsAtOnce });
    const rows = await rowsOf(project);
    expect(countOf(rows, "SENT")).toBe(32);
    const lost = countOf(rows, "UNKNOWN");
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(lost).toBeLessThanOrEqual(callsAtOnce + 3);
    const others = rows.filter(({ status }) => status === "QUEUED");
    expect(others).toHaveLength(60 - 32 - lost);
    for (const row of others) expect(row).toMatchObject({ attempts: 0, handed_at: null, abandonments: 0 });
    expect(world.calls).toHaveLength(32 + lost);
    // The lane has paused.
    expect(world.account.lanes.transactional.pausedUntil).not.toBeNull();
    await expectOthersSentOnce(world, project, lost);
  });

  it("goes on after calls that failed alone, and takes nothing back", async () => {
    const { project, world } = await scene(25);
    let made = 0;
    world.answer = () => (++made % 8 === 0 ? threw() : accepts());
    await deliverOnce(world);
    expect(handOvers(world)).toEqual([round]);
    const rows = await rowsOf(project);
    expect([countOf(rows, "SENT"), countOf(rows, "UNKNOWN")]).toEqual([22, 3]);
  });

  it.each([
    ["answers 429", () => ({ kind: "throttled" as const, reason: "429", retryAfterMs: 5_000 })],
    ["refuses the account", () => ({ kind: "blocked" as const, reason: "403 Sending is paused" })],
  ])("costs none when it %s: what was not called for waits as before", async (what, refuse) => {
    const { project, world } = await scene(60);
    answerFirst(world, 32, refuse);
    await deliverOnce(world);
    expect(world.calls).toHaveLength(32 + 5);
    const rows = await rowsOf(project);
    expect([countOf(rows, "SENT"), countOf(rows, "QUEUED")]).toEqual([32, 28]);
    for (const row of rows) {
      expect(row.handed_at).toBeNull();
      if (row.status === "QUEUED") expect(row.attempts).toBe(0);
    }
    const { pausedUntil, restsUntil } = world.account.lanes.transactional;
    if (what === "answers 429") expect(restsUntil).toBe(world.now + 5_000);
    else expect(pausedUntil).toBeGreaterThan(world.now);
    await expectOthersSentOnce(world, project, 0);
  });

  /** The provider goes away in the middle of a round, and the database with it. Returns how many calls got no answer. */
  async function loseBoth(world: World): Promise<number> {
    answerFirst(world, 7, () => {
      world.fault = new DatabaseFault(staying("connection lost"), ({ writes }: Trip) => writes);
      return threw();
    });
    await deliverOnce(world);
    world.fault = null;
    const lost = world.calls.length - world.taken.length;
    expect(lost).toBeLessThanOrEqual(8);
    return lost;
  }

  it("loses none of the others when the database goes away too: the queue keeps who was not called for", async () => {
    const { project, world } = await scene(25);
    const lost = await loseBoth(world);
    expect(world.queue.map(({ queued }) => queued.message.type)).toContain("mail.settle");
    await expectOthersSentOnce(world, project, lost);
  });

  it("loses none of them when the sweep has given them up before that is written down", async () => {
    const { project, world } = await scene(25);
    const lost = await loseBoth(world);
    const kept = world.queue.splice(0).filter(({ queued }) => queued.message.type === "mail.settle");
    world.now += 3 * minuteMs;
    await world.sweep();
    expect(countOf(await rowsOf(project), "UNKNOWN")).toBe(25);
    world.queue.push(...kept);
    await expectOthersSentOnce(world, project, lost);
  });

  it("costs none with a provider that recognises a repeated call", async () => {
    const { project, world } = await scene(25);
    world.idempotencyWindowMs = 24 * 60 * minuteMs;
    answerFirst(world, 7, threw);
    await deliverOnce(world);
    world.answer = accepts;
    await world.pass(15);
    expect(countOf(await rowsOf(project), "SENT")).toBe(25);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
  });
});

describe("a hand-over of 25 mails", () => {
  it.each(["answer lost", "connection lost", "storage reset"] as const)("survives: %s", async (fault) => {
    const { project, world } = await scene(25);
    world.fault = new DatabaseFault([fault], ({ writes }: Trip) => writes);
    await deliverOnce(world);
    await expectOthersSentOnce(world, project, 0);
  });

  it("that was committed, and whose answer never came, costs none", async () => {
    const { project, world } = await scene(25);
    world.fault = new DatabaseFault(["answer lost", ...staying("connection lost")], ({ writes }: Trip) => writes);
    await deliverOnce(world).catch(() => {});
    world.fault = null;
    await expectOthersSentOnce(world, project, 0);
  });

  // The permit, read, hand over, 25 calls, may go on, record and hand over, five calls, record, give back.
  const deaths = [3, 4, 9, 20, 28, 29, 30, 31, 35, 36, 37].flatMap((atStep): Death[] => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths)("whose consumer dies $when step $atStep leaves no more than itself uncertain", async (death) => {
    const { project, world } = await scene(30);
    await world.runAndDie(death);
    await world.pass(4);
    await world.pass(8, 4);
    const rows = await rowsOf(project);
    expect(countOf(rows, "UNKNOWN")).toBeLessThanOrEqual(round);
    expect(countOf(rows, "SENT") + countOf(rows, "UNKNOWN")).toBe(30);
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
  });
});
