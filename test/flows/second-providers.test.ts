import { describe, expect, it, vi } from "vitest";
import type { Receipt } from "../../src/core/mail/receipt";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { type Random, randomOf } from "../support/random";
import { newTemplate } from "../support/template";
import { accepts, SecondProvider, World } from "../support/world";

vi.setConfig({ testTimeout: 120_000 });

const minuteMs = 60_000;
const threw = async () => {
  throw new Error("The network is gone");
};
const unavailable = (): Receipt => ({ kind: "unavailable", reason: "503" });

async function send(world: World, project: TestProject, to: string[], template?: string): Promise<void> {
  const { ctx } = await world.context(project);
  const content = template ? { template } : { from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendEmails({ ...ctx, origin: "https://mail.petrel.test" }, SendEmail.parse({ to, ...content }));
}

interface Row {
  to_email: string;
  status: string;
  provider: string | null;
}

async function rowsOf(project: TestProject): Promise<Row[]> {
  const { results } = await project.db
    .prepare("SELECT to_email, status, provider FROM emails WHERE project_id = ? ORDER BY to_email")
    .bind(project.number)
    .all<Row>();
  return results;
}

const people = (count: number, name = "r") =>
  Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);
const addressees = (taken: { to: { email: string } }[]) => taken.map(({ to }) => to.email).sort();

/** A world in whose main account nothing has been answered for a minute. */
async function down(world: World, project: TestProject): Promise<void> {
  await send(world, project, people(4, "first"));
  await world.drain();
  expect(world.account.lanes.transactional.pausedUntil).not.toBeNull();
  world.now += minuteMs;
}

describe("marketing mail with a provider of its own", () => {
  it("goes through that one, and transactional mail through the first; the records say which", async () => {
    const [world, project] = [new World(), await newProject()];
    world.marketing = new SecondProvider("bulk");
    const { id: news } = await newTemplate(project, { type: "MARKETING" });
    await send(world, project, ["a@example.com"], news);
    await send(world, project, ["b@example.com"]);
    await world.drain();
    expect(addressees(world.marketing.taken)).toEqual(["a@example.com"]);
    expect(addressees(world.taken)).toEqual(["b@example.com"]);
    expect(await rowsOf(project)).toEqual([
      { to_email: "a@example.com", status: "SENT", provider: "bulk" },
      { to_email: "b@example.com", status: "SENT", provider: "double" },
    ]);
  });

  it("waits for its own account: a pause of one holds up nothing of the other", async () => {
    const [world, project] = [new World(), await newProject()];
    world.marketing = new SecondProvider("bulk");
    world.marketing.answer = unavailable;
    const { id: news } = await newTemplate(project, { type: "MARKETING" });
    await send(world, project, people(10), news);
    await world.drain();
    expect(world.marketing.account.lanes.campaign.pausedUntil).not.toBeNull();
    expect(world.account.lanes.campaign.pausedUntil).toBeNull();
    await send(world, project, ["now@example.com"]);
    await world.drain();
    expect(addressees(world.taken)).toEqual(["now@example.com"]);
    world.marketing.answer = accepts;
    await world.pass(60);
    expect(world.marketing.taken).toHaveLength(10);
    expect(world.taken).toHaveLength(1);
  });
});

describe("the fallback", () => {
  it("carries nothing while the first provider answers", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = new SecondProvider();
    await send(world, project, people(30));
    await world.pass(3);
    expect(world.taken).toHaveLength(30);
    expect(world.fallback.calls).toEqual([]);
  });

  it("carries nothing in the first minute of a pause", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = new SecondProvider();
    world.answer = unavailable;
    await send(world, project, people(4, "first"));
    await world.drain();
    world.now += minuteMs - 1_000;
    await send(world, project, ["early@example.com"]);
    await world.drain();
    expect(world.fallback.calls).toEqual([]);
  });

  it("carries fresh mail and what has waited when the lane has been paused for a minute, and the first again after it", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = new SecondProvider();
    world.answer = unavailable;
    await down(world, project);
    await send(world, project, people(20));
    await world.pass(5);
    expect(addressees(world.fallback.taken)).toEqual([...people(4, "first"), ...people(20)].sort());
    expect((await rowsOf(project)).map(({ provider }) => provider)).toEqual(Array(24).fill("second"));
    world.answer = accepts;
    await world.pass(15);
    await send(world, project, ["probe@example.com"]);
    await world.pass(1);
    await send(world, project, people(3, "after"));
    await world.drain();
    expect(addressees(world.taken)).toEqual([
      "after0@example.com",
      "after1@example.com",
      "after2@example.com",
      "probe@example.com",
    ]);
  });

  it("never carries mail whose outcome is unknown: it waits for the provider that was called", async () => {
    const [world, project] = [new World(), await newProject()];
    world.idempotencyWindowMs = 24 * 60 * minuteMs;
    world.fallback = new SecondProvider();
    world.answer = threw;
    await down(world, project);
    // A mail has to find out whether the first one is back.
    await send(world, project, ["probe@example.com"]);
    await world.drain();
    await send(world, project, ["fresh@example.com"]);
    await world.pass(20);
    const uncertain = (await rowsOf(project)).filter(({ provider }) => provider === "double");
    expect(uncertain.length).toBeGreaterThan(0);
    expect(uncertain.map(({ status }) => status)).toEqual(Array(uncertain.length).fill("QUEUED"));
    const carried = addressees(world.fallback.taken);
    // Either of the two may have been the one that finds out.
    expect(carried.length).toBeGreaterThan(0);
    for (const { to_email } of uncertain) expect(carried).not.toContain(to_email);
    world.answer = accepts;
    await world.pass(60);
    expect(addressees(world.taken)).toEqual(uncertain.map(({ to_email }) => to_email));
    expect((await rowsOf(project)).every(({ status }) => status === "SENT")).toBe(true);
  });

  it("keeps what it did not answer for, also when the first provider is back", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = Object.assign(new SecondProvider(), { idempotencyWindowMs: 24 * 60 * minuteMs, answer: threw });
    world.answer = unavailable;
    await down(world, project);
    await send(world, project, ["lost@example.com"]);
    await world.drain();
    expect(world.fallback.calls.length).toBeGreaterThan(0);
    const called = new Set(
      (await rowsOf(project)).filter(({ provider }) => provider === "second").map(({ to_email }) => to_email),
    );
    world.answer = accepts;
    await world.pass(5);
    for (const email of addressees(world.taken)) expect(called).not.toContain(email);
    world.fallback.answer = accepts;
    await world.pass(60);
    expect(addressees(world.fallback.taken)).toEqual([...called].sort());
    expect((await rowsOf(project)).every(({ status }) => status === "SENT")).toBe(true);
  });

  it("does not have the last word: what it refuses, the first provider gets when it is back", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = Object.assign(new SecondProvider(), {
      answer: (): Receipt => ({ kind: "refused", reason: "The domain is not verified here" }),
    });
    world.answer = unavailable;
    await down(world, project);
    await send(world, project, ["a@example.com"]);
    await world.drain();
    world.answer = accepts;
    await world.pass(30);
    expect(addressees(world.taken)).toContain("a@example.com");
  });

  it("carries no marketing mail", async () => {
    const [world, project] = [new World(), await newProject()];
    world.fallback = new SecondProvider();
    world.answer = unavailable;
    const { id: news } = await newTemplate(project, { type: "MARKETING" });
    await down(world, project);
    await send(world, project, people(5), news);
    await world.pass(10);
    for (const email of addressees(world.fallback.taken)) expect(email).toMatch(/^first/);
  });
});

/** What both providers took of each mail. One that recognises a call takes its mails once. */
class Takes {
  private keys = new Set<string>();
  readonly counts = new Map<string, number>();

  note(provider: string, call: { key: string } | undefined, email: string, recognises: boolean): void {
    const key = `${provider} ${call?.key} ${email}`;
    if (recognises && this.keys.has(key)) return;
    this.keys.add(key);
    this.counts.set(email, (this.counts.get(email) ?? 0) + 1);
  }
}

describe.each([0, 24 * 60 * minuteMs])("with kills, lost answers and outages of both (window %i)", (windowMs) => {
  const used = new Set<string | null>();
  it.each([1, 2, 3])(
    "sends nothing twice, and in the end everything that is known not to be out (seed %i)",
    async (seed) => {
      const [world, project] = [new World(), await newProject()];
      const random: Random = randomOf(seed);
      const takes = new Takes();
      const second = Object.assign(new SecondProvider(), { idempotencyWindowMs: windowMs });
      Object.assign(world, { idempotencyWindowMs: windowMs, fallback: second, mailsPerCall: random.of([1, 5]) });
      let isCalm = false;
      const out = { double: world.now + 5 * minuteMs, second: 0 };
      const answering =
        (name: "double" | "second", calls: { key: string }[]) => async (message: { to: { email: string } }) => {
          const take = () => takes.note(name, calls.at(-1), message.to.email, windowMs > 0);
          if (!isCalm && world.now < out[name]) {
            if (random.isIn(2)) return unavailable();
            if (random.isIn(2)) take();
            throw new Error("No answer");
          }
          if (!isCalm && random.isIn(12)) {
            take();
            throw new Error("The answer is lost");
          }
          take();
          return accepts();
        };
      world.answer = answering("double", world.calls);
      second.answer = answering("second", second.calls);
      let sent = 0;
      for (let turn = 0; turn < 80; turn++) {
        if (random.isIn(4)) await send(world, project, people(1 + random.below(8), `s${seed}n${sent++}-`));
        if (random.isIn(15)) out.double = world.now + random.of([2, 5, 20]) * minuteMs;
        if (random.isIn(40)) out.second = world.now + 3 * minuteMs;
        const due = world.queue.filter(({ due }) => due <= world.now);
        if (due.length > 0) {
          const next = world.queue.indexOf(random.of(due));
          world.queue.unshift(...world.queue.splice(next, 1));
          await world
            .runAndDie({
              atStep: random.isIn(6) ? 1 + random.below(14) : 10_000,
              when: random.of(["before", "after"] as const),
            })
            .catch((error) => {
              if (!wasKilled(error)) throw error;
            });
        }
        world.now += random.of([100, 1_000, 10_000, 40_000]);
        if (random.isIn(4)) await world.sweep();
      }
      isCalm = true;
      await world.pass(90, 3);
      const rows = await rowsOf(project);
      expect(rows.filter(({ status }) => status !== "SENT" && status !== "UNKNOWN" && status !== "FAILED")).toEqual([]);
      for (const { to_email, status } of rows) {
        const count = takes.counts.get(to_email) ?? 0;
        expect(count, `${to_email} is ${status}`).toBeLessThanOrEqual(1);
        if (status === "SENT") expect(count, to_email).toBe(1);
        if (status === "FAILED") expect(count, to_email).toBe(0);
      }
      for (const { provider } of rows) used.add(provider);
    },
  );

  it("was tried with both providers", () => {
    expect([...used].toSorted()).toEqual(["double", "second"]);
  });
});
