import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { newAccount } from "../../src/core/mail/account";
import { redelivered } from "../../src/core/messages";
import { cancelEmail } from "../../src/features/emails/cancel";
import { retryEmail } from "../../src/features/emails/retry";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { handleMessage } from "../../src/queue";
import { ChaoticProvider } from "../support/chaotic-provider";
import { wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { type Random, randomOf } from "../support/random";
import { emailRows } from "../support/rows";
import { sample } from "../support/sample";
import { World } from "../support/world";

interface Case {
  seed: number;
  mailsPerCall: number;
  idempotencyWindowMs: number;
  perSecond: number | null;
}

class Chaos {
  world = new World();
  random: Random;
  provider: ChaoticProvider;
  evictions = 0;
  retried = new Set<string>();
  private depth = 0;
  private templates = new Map<string, string>();

  constructor(
    private projects: TestProject[],
    { seed, mailsPerCall, idempotencyWindowMs, perSecond }: Case,
  ) {
    this.random = randomOf(seed);
    this.provider = new ChaoticProvider(this.world, this.random, () => this.meanwhile());
    Object.assign(this.world, { mailsPerCall, idempotencyWindowMs, answer: this.provider.answer });
    this.world.random = () => this.random.below(100) / 100;
    if (perSecond !== null) this.world.paceRule = { perSecond, transactionalShare: 0.2 };
  }

  /** While a call is open, others work, and the object may be evicted. */
  private async meanwhile(): Promise<void> {
    if (this.depth >= 3) return;
    this.depth++;
    try {
      await this.act();
    } finally {
      this.depth--;
    }
  }

  async act(): Promise<void> {
    const { random } = this;
    const chance = random.below(100);
    if (chance < 15) return this.send();
    if (chance < 65) return this.handleOne();
    if (chance < 75) return this.tick();
    if (chance < 78) return this.evict();
    if (chance < 84) return this.unsubscribe();
    if (chance < 92) return this.touch();
    this.world.now += random.of([100, 1_000, 5_000, 30_000, 130_000]);
  }

  private async send(): Promise<void> {
    const { random } = this;
    const project = random.of(this.projects);
    const { ctx } = await this.world.context(project);
    const to = Array.from(
      { length: 1 + random.below(random.isIn(10) ? 110 : 6) },
      () => `r${random.below(40)}@example.com`,
    );
    const isNews = random.isIn(40);
    const call = isNews
      ? { to, template: await this.template(project) }
      : { to, from: `hi@${project.domain}`, subject: "Hi", body: "<p>Hi {{ email }}</p>" };
    await sendEmails({ ...ctx, origin: "https://mail.petrel.test" }, SendEmail.parse(call));
  }

  private async template(project: TestProject): Promise<string> {
    const known = this.templates.get(project.id);
    if (known) return known;
    const { body } = await project.api.post("/templates", {
      ...{ name: "News", subject: "News", body: "News", type: "MARKETING", from: `hi@${project.domain}` },
    });
    this.templates.set(project.id, body.id);
    return body.id;
  }

  /** One message of the queue, which may be lost, come twice, or kill whoever handles it. */
  private async handleOne(): Promise<void> {
    const { world, random } = this;
    const due = world.queue.filter(({ due }) => due <= world.now);
    if (due.length === 0) return;
    const next = random.of(due);
    if (!random.isIn(5)) world.queue.splice(world.queue.indexOf(next), 1);
    if (random.isIn(4)) return;
    const death = random.isIn(12)
      ? { atStep: 1 + random.below(14), when: random.of(["before", "after"] as const) }
      : undefined;
    const { platform } = world.process(death);
    try {
      await handleMessage(platform, next.queued.message, []);
    } catch (error) {
      if (!wasKilled(error)) throw error;
      world.queue.push({
        queued: { ...next.queued, message: redelivered(next.queued.message) },
        due: world.now + 5_000,
      });
    }
  }

  private async tick(): Promise<void> {
    this.world.now += 60_000;
    await this.world.sweep();
  }

  private evict(): void {
    const { lanes } = this.world.account;
    this.world.account = newAccount(lanes);
    this.evictions++;
  }

  private async unsubscribe(): Promise<void> {
    const project = this.random.of(this.projects);
    const email = `r${this.random.below(40)}@example.com`;
    if (this.random.isIn(60)) await project.api.post("/contacts", { email, subscribed: this.random.isIn(50) });
    else await project.api.post("/suppressions", { email });
  }

  /** A person cancels or retries one. */
  private async touch(): Promise<void> {
    const project = this.random.of(this.projects);
    const rows = await emailRows(project);
    if (rows.length === 0) return;
    const { id, status } = this.random.of(rows);
    const { ctx } = await this.world.context(project);
    try {
      if (status === "QUEUED") await cancelEmail(ctx, readId(id));
      else if (["FAILED", "UNKNOWN", "CANCELLED"].includes(status)) {
        await retryEmail(ctx, readId(id));
        this.retried.add(id);
      }
    } catch (error) {
      if (!(error instanceof Error) || !/This email is|may have sent/.test(error.message)) throw error;
    }
  }
}

const dayMs = 24 * 3_600_000;
const cases: Case[] = [
  { seed: 4, mailsPerCall: 1, idempotencyWindowMs: 0, perSecond: null },
  { seed: 5, mailsPerCall: 1, idempotencyWindowMs: dayMs, perSecond: 0.5 },
  { seed: 6, mailsPerCall: 4, idempotencyWindowMs: 0, perSecond: 20 },
  { seed: 7, mailsPerCall: 4, idempotencyWindowMs: dayMs, perSecond: null },
  { seed: 8, mailsPerCall: 100, idempotencyWindowMs: 0, perSecond: 0.5 },
  { seed: 9, mailsPerCall: 100, idempotencyWindowMs: dayMs, perSecond: 20 },
];

describe("whatever happens to it, each mail", () => {
  it.each(sample(cases.map((given) => [JSON.stringify(given), given] as const)))("%s", async (_, given) => {
    const projects = [await newProject(), await newProject()];
    const chaos = new Chaos(projects, given);
    const { world, provider } = chaos;
    const start = world.now;
    for (let step = 0; step < 45; step++) await chaos.act();
    provider.isCalm = true;
    await world.pass(20);
    await world.pass(150, 15);

    expect(provider.faults).toEqual([]);
    for (const project of projects) {
      const { results } = await project.db
        .prepare("SELECT id, status, due_at, round FROM emails WHERE project_id = ?")
        .bind(project.number)
        .all<{ id: string; status: string; due_at: number | null; round: string | null }>();
      for (const { id, status, due_at } of results) {
        const takes = provider.takes.get(id)?.length ?? 0;
        const seen = `${id} is ${status}, and was taken ${takes} times`;
        expect(["SENT", "FAILED", "UNKNOWN", "CANCELLED", "SUPPRESSED"], seen).toContain(status);
        expect(due_at, seen).toBeNull();
        if (chaos.retried.has(id)) continue;
        expect(takes, seen).toBeLessThanOrEqual(1);
        if (status === "SENT") expect(takes, seen).toBe(1);
        else if (status !== "UNKNOWN") expect(takes, seen).toBe(0);
      }
      const used = await project.db
        .prepare(`SELECT (SELECT coalesce(sum(emails), 0) FROM monthly_usage WHERE project_id = ?1)
          - (SELECT count(*) FROM emails WHERE project_id = ?1 AND status NOT IN ('FAILED', 'SUPPRESSED', 'CANCELLED')) AS n`)
        .bind(project.number)
        .first("n");
      expect(used).toBe(0);
      const negative = await project.db
        .prepare("SELECT count(*) AS n FROM emails WHERE project_id = ? AND attempts < 0")
        .bind(project.number)
        .first("n");
      expect(negative).toBe(0);
    }
    expect(world.account.ring.projects.size).toBe(0);
    if (given.perSecond !== null) {
      const most =
        ((world.now - start) / 1_000) * given.perSecond + Math.max(1, given.perSecond) * (1 + chaos.evictions);
      expect(provider.callTimes.length).toBeLessThanOrEqual(most);
    }
  });
});
