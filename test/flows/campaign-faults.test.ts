import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import type { Message } from "../../src/core/mail/message";
import type { Receipt } from "../../src/core/mail/receipt";
import { snoozeContact } from "../../src/engine/contacts/snooze";
import { retryCampaign } from "../../src/features/campaigns/retry";
import { sendCampaign } from "../../src/features/campaigns/send";
import { deleteContact } from "../../src/features/contacts/delete";
import { updateContact } from "../../src/features/contacts/update";
import { upsertContact } from "../../src/features/contacts/upsert";
import { updateSegment } from "../../src/features/segments/update";
import { addSuppression } from "../../src/features/suppressions/add";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { newCampaign } from "../support/campaign";
import { expectEnded } from "../support/campaign-end";
import { inLine, interleave } from "../support/interleave";
import { newProject, type TestProject } from "../support/project";
import { randomOf } from "../support/random";
import { isPro, newSegment, only } from "../support/segment";
import { accepts, World } from "../support/world";

const people = 12;

/** A campaign on its way to the pro ones, and to nobody else. */
async function scene(people: number): Promise<{ world: World; project: TestProject; id: string; segment: string }> {
  const [world, project] = [new World(), await newProject()];
  const { ctx } = await world.context(project);
  for (let n = 0; n < people; n++) await upsertContact(ctx, { email: `c${n}@example.com`, data: { plan: "pro" } });
  await upsertContact(ctx, { email: "free@example.com", data: { plan: "free" } });
  const segment = await newSegment(project, { condition: isPro });
  const { id } = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
  world.now += 1_000;
  await sendCampaign({ ...(await world.context(project)).ctx, origin: "https://petrel.example" }, readId(id), {});
  return { world, project, id, segment: segment.id };
}

interface Waiting {
  emailId: string;
  contactId: string;
  email: string;
}

/** Two of those to whom nothing was handed over yet. */
async function twoWaiting({ db, number }: TestProject): Promise<Waiting[]> {
  const { results } = await db
    .prepare(
      `SELECT id, contact_id, to_email FROM emails WHERE project_id = ? AND status = 'QUEUED' ORDER BY id DESC LIMIT 2`,
    )
    .bind(number)
    .all<{ id: string; contact_id: string; to_email: string }>();
  expect(results).toHaveLength(2);
  return results.map(({ id, contact_id, to_email }) => ({ emailId: id, contactId: contact_id, email: to_email }));
}

interface Change {
  happens(ctx: Context, who: Waiting, segment: string): Promise<unknown>;
  /** What becomes of those two. */
  ends: string;
  because?: RegExp;
}

const halfWay: [string, Change][] = [
  [
    "unsubscribed",
    {
      happens: (ctx, { contactId }) => updateContact(ctx, readId(contactId), { subscribed: false }),
      ends: "CANCELLED",
      because: /unsubscribed/,
    },
  ],
  [
    "snoozed",
    {
      happens: (ctx, { contactId }) => snoozeContact(ctx, readId(contactId), { duration: "14d" }),
      ends: "CANCELLED",
      because: /unsubscribed/,
    },
  ],
  [
    "suppressed",
    { happens: (ctx, { email }) => addSuppression(ctx, { email }), ends: "SUPPRESSED", because: /suppression list/ },
  ],
  [
    "deleted",
    {
      happens: (ctx, { contactId }) => deleteContact(ctx, readId(contactId)),
      ends: "CANCELLED",
      because: /deleted/,
    },
  ],
  [
    "deleted, and come back as others",
    {
      async happens(ctx, { contactId, email }) {
        await deleteContact(ctx, readId(contactId));
        await upsertContact(ctx, { email, data: { plan: "pro" } });
      },
      ends: "CANCELLED",
      because: /deleted/,
    },
  ],
  [
    "made others than the segment asks for",
    {
      happens: (ctx, { contactId }) => updateContact(ctx, readId(contactId), { data: { plan: "free" } }),
      ends: "SENT",
    },
  ],
  [
    "left out by a new condition of the segment",
    {
      happens: (ctx, _, segment) =>
        updateSegment(ctx, readId(segment), { condition: only("data.plan", "equals", "x") }),
      ends: "SENT",
    },
  ],
];

describe("half-way, two of those who wait are", () => {
  /** More than are handed over at once. */
  const crowd = 32;

  it.each(halfWay)("%s", async (_, { happens, ends, because }) => {
    const { world, project, id, segment } = await scene(crowd);
    const { ctx } = await world.context(project);
    let answered = 0;
    let waiting: Waiting[] = [];
    world.answer = async () => {
      answered += 1;
      if (answered === 3) {
        waiting = await twoWaiting(project);
        for (const one of waiting) await happens(ctx, one, segment);
        await upsertContact(ctx, { email: "new@example.com", data: { plan: "pro" } });
      }
      return accepts();
    };
    await world.pass(4);
    expect(answered).toBeGreaterThan(3);
    await expectEnded(world, project, id, {
      rows: ends === "SENT" ? { SENT: crowd } : { SENT: crowd - 2, [ends]: 2 },
    });
    const { body } = await project.api.get(`/campaigns/${id}/recipients?status=${ends}&limit=100`);
    for (const { emailId } of waiting) {
      const row = body.data.find((one: { id: string }) => one.id === emailId);
      expect(row).toMatchObject({ status: ends, error: because ? expect.stringMatching(because) : null });
    }
    expect(world.taken.map(({ to }) => to.email)).not.toContain("new@example.com");
  });
});

describe("before the ledger is written, the audience is frozen", () => {
  it("against another condition of the segment, and new contacts", async () => {
    const { world, project, id, segment } = await scene(3);
    const { ctx } = await world.context(project);
    await updateSegment(ctx, readId(segment), { condition: only("data.plan", "equals", "free") });
    await upsertContact(ctx, { email: "new@example.com", data: { plan: "pro" } });
    await world.pass(4);
    await expectEnded(world, project, id, { rows: { SENT: 3 } });
    expect(world.taken.map(({ to }) => to.email).sort()).toEqual([0, 1, 2].map((n) => `c${n}@example.com`));
  });

  it("but not against those who leave", async () => {
    const { world, project, id } = await scene(4);
    const { ctx } = await world.context(project);
    const idOf = async (email: string) => readId((await project.api.get(`/contacts?email=${email}`)).body.data[0].id);
    await deleteContact(ctx, await idOf("c0@example.com"));
    await updateContact(ctx, await idOf("c1@example.com"), { subscribed: false });
    await addSuppression(ctx, { email: "c2@example.com" });
    await world.pass(4);
    await expectEnded(world, project, id, { rows: { SENT: 1, SUPPRESSED: 1 } });
  });
});

const hour = 60 * 60_000;

/** Answers so for a while, from the fourth mail on. */
function trouble(world: World, lastsMs: number, answer: (message: Message) => Receipt): void {
  let calls = 0;
  let until = Number.POSITIVE_INFINITY;
  world.answer = (message) => {
    calls += 1;
    if (calls === 4) until = world.now + lastsMs;
    return calls >= 4 && world.now < until ? answer(message) : accepts();
  };
}

/** Lets time pass until nothing of a campaign is under way. */
async function passUntilOver(world: World, { db, number }: TestProject, minutes: number): Promise<void> {
  const isOver = db.prepare("SELECT count(*) = 0 AS is_over FROM campaign_runs WHERE project_id = ?").bind(number);
  for (let passed = 0; passed < minutes; passed += 10) {
    await world.pass(10, 10);
    if ((await isOver.first("is_over")) === 1) return;
  }
}

function silent(): never {
  throw new Error("No answer");
}

describe("a provider that for a while", () => {
  it.each<[string, number, Receipt]>([
    ["says 429, for an hour", hour, { kind: "throttled", reason: "429" }],
    ["says 500, for an hour", hour, { kind: "unavailable", reason: "500" }],
    ["says 401, for an hour", hour, { kind: "blocked", reason: "401" }],
    ["is too busy for a mail", 5 * 60_000, { kind: "busy", reason: "Later" }],
  ])("%s costs no mail", async (_, lastsMs, receipt) => {
    const { world, project, id } = await scene(people);
    trouble(world, lastsMs, () => receipt);
    await world.pass(2);
    const { body } = await project.api.get(`/campaigns/${id}`);
    expect(body.status).toBe("SENDING");
    await passUntilOver(world, project, 130);
    await expectEnded(world, project, id, { rows: { SENT: people } });
    if (receipt.kind === "throttled" || receipt.kind === "blocked") {
      const tries = "SELECT max(attempts) AS n FROM emails WHERE project_id = ?";
      expect(await project.db.prepare(tries).bind(project.number).first("n")).toBe(1);
    }
    if (receipt.kind === "blocked") expect(world.logged.length).toBeGreaterThan(0);
  });

  it("refuses some mails ends those as FAILED, and the others go", async () => {
    const { world, project, id } = await scene(people);
    world.answer = ({ to }) => (to.email === "c5@example.com" ? { kind: "refused", reason: "550" } : accepts());
    await world.pass(4);
    await expectEnded(world, project, id, { rows: { SENT: people - 1, FAILED: 1 } });
  });

  it("takes a mail and never answers: that one is UNKNOWN, and goes to nobody twice", async () => {
    const { world, project, id } = await scene(people);
    const took: string[] = [];
    world.answer = ({ to }) => {
      took.push(to.email);
      return to.email === "c5@example.com" ? silent() : accepts();
    };
    await world.pass(3);
    await expectEnded(world, project, id, { rows: { SENT: people - 1, UNKNOWN: 1 } });
    expect(took).toHaveLength(people);
    expect(new Set(took).size).toBe(people);
  });

  it("takes a mail and never answers, but recognises it: all are SENT, once", async () => {
    const { world, project, id } = await scene(people);
    world.idempotencyWindowMs = 24 * hour;
    const keys = new Map<string, string[]>();
    world.answer = ({ emailId }) => {
      const known = keys.get(emailId) ?? [];
      keys.set(emailId, [...known, world.calls.at(-1)?.key ?? ""]);
      return known.length === 0 ? silent() : accepts();
    };
    await passUntilOver(world, project, 130);
    await expectEnded(world, project, id, { rows: { SENT: people } });
    for (const several of keys.values()) expect(new Set(several).size).toBe(1);
  });

  it("is down for an hour costs no more than the mails of a few calls", async () => {
    const { world, project, id } = await scene(40);
    trouble(world, hour, silent);
    await passUntilOver(world, project, 130);
    const { body } = await project.api.get(`/campaigns/${id}/stats`);
    expect(body.unknownCount).toBeGreaterThan(0);
    expect(body.unknownCount).toBeLessThan(20);
    await expectEnded(world, project, id, { rows: { SENT: 40 - body.unknownCount, UNKNOWN: body.unknownCount } });
  });
});

describe("a sender domain that is not verified any more", () => {
  const setDomain = ({ db, number }: TestProject, status: string) =>
    db.prepare("UPDATE domains SET status = ? WHERE project_id = ?").bind(status, number).run();

  it("fails the mails that are not out yet, which a retry sends when it is again", async () => {
    const { world, project, id } = await scene(people);
    // What a consumer has in its hands still goes: here that is little.
    world.paceRule = { perSecond: 1, transactionalShare: 0 };
    let answered = 0;
    world.answer = async () => {
      answered += 1;
      if (answered === 3) await setDomain(project, "FAILED");
      return accepts();
    };
    await world.pass(3);
    const { body } = await project.api.get(`/campaigns/${id}/recipients?status=FAILED`);
    expect(body.data.length).toBeGreaterThan(0);
    for (const { error } of body.data) expect(error).toMatch(/no longer a verified domain/);
    await expectEnded(world, project, id, { rows: { SENT: people - body.data.length, FAILED: body.data.length } });
    await setDomain(project, "VERIFIED");
    await retryCampaign((await world.context(project)).ctx, readId(id), { statuses: ["FAILED"] });
    await world.pass(3);
    await expectEnded(world, project, id, { rows: { SENT: people } });
  });

  it("keeps a campaign waiting whose time has come, until it is again", async () => {
    const { world, project } = await scene(0);
    await upsertContact((await world.context(project)).ctx, { email: "ada@example.com" });
    const { id } = await newCampaign(project);
    const scheduledFor = new Date(world.now + 60_000).toISOString();
    await sendCampaign({ ...(await world.context(project)).ctx, origin: "https://petrel.example" }, readId(id), {
      scheduledFor,
    });
    await setDomain(project, "FAILED");
    await world.pass(5);
    const { body } = await project.api.get(`/campaigns/${id}`);
    expect(body).toMatchObject({ status: "SCHEDULED", heldReason: "sender domain", scheduledFor, sentAt: null });
    expect(world.taken).toHaveLength(0);
    await setDomain(project, "VERIFIED");
    await world.pass(4);
    expect((await project.api.get(`/campaigns/${id}`)).body).toMatchObject({ status: "SENT", heldReason: null });
    expect(world.taken.map(({ to }) => to.email)).toContain("ada@example.com");
  });
});

describe("two consumers at once", () => {
  it.each([1, 2, 3, 4])("of every message, in an order that chance decides: %i", async (seed) => {
    const { world, project, id } = await scene(people);
    const random = randomOf(seed);
    world.mailsPerCall = random.of([1, 4]);
    for (let turn = 0; turn < 60 && world.queue.length > 0; turn++) {
      const [next] = world.queue.splice(0, 1);
      if (!next) break;
      world.now = Math.max(world.now, next.due);
      const consumer = async (ask: () => Promise<void>) => {
        const { platform, process } = world.process();
        const step = process.step.bind(process);
        process.step = async (name, effect) => {
          await ask();
          return step(name, effect);
        };
        await handleMessage({ ...platform, callsAtOnce: 1 }, next.queued.message, []);
      };
      await interleave([consumer, consumer], inLine(random, 2).pick);
    }
    await world.pass(4);
    await expectEnded(world, project, id, { rows: { SENT: people } });
  });
});
