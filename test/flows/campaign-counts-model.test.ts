import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Id, publicId } from "../../src/core/ids";
import { gaveUp, hardBounce, transient } from "../../src/core/mail/notices/notice";
import type { Report } from "../../src/core/mail/status";
import { writeTag } from "../../src/core/mail/tag";
import { openBatch } from "../../src/db/batch";
import { statement } from "../../src/db/statement";
import { countDuePages } from "../../src/engine/campaigns/count-due";
import { findCounts } from "../../src/engine/campaigns/counts";
import { isStillSubscribed, updateLeftBy } from "../../src/engine/campaigns/left";
import { updateMarked } from "../../src/engine/campaigns/mark-pages";
import { sumPages } from "../../src/features/campaigns/timeline";
import { cancelEmail } from "../../src/features/emails/cancel";
import { retryEmail } from "../../src/features/emails/retry";
import { takeReport } from "../../src/features/hooks/take-report";
import type { Context } from "../../src/platform/context";
import { deliverEmails } from "../support/deliver-emails";
import { interleave, type Turn } from "../support/interleave";
import { type Death, wasKilled } from "../support/killable";
import {
  markedPages,
  newCampaign,
  recounted,
  recountedHours,
  storedCounts,
  type TestCampaign,
} from "../support/ledger";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { type Random, randomOf } from "../support/random";
import { World } from "../support/world";

const seeds = Array.from({ length: Number(env.PETREL_MODEL_SEEDS) }, (_, n) => n + 1);
const rounds = 12;

interface Play {
  project: TestProject;
  world: World;
  campaign: TestCampaign;
}

async function newPlay(seed: number): Promise<Play> {
  const [project, world] = [await newProject(), new World()];
  const random = randomOf(seed * 7_919);
  world.answer = () => {
    if (random.isIn(10)) return { kind: "refused", reason: "No" };
    if (random.isIn(10)) throw new Error("No answer");
    const reports: Report[] = random.isIn(30) ? [{ kind: "delivered" }] : random.isIn(10) ? [hardBounce([])] : [];
    return { kind: "accepted", providerMessageId: "m", reports };
  };
  const campaign = await newCampaign(project, { recipients: 12, perPage: 4, variants: ["a", "b"] });
  return { project, world, campaign };
}

/** The context of a process that waits for its turn before each step, but for calls to the provider: they are made together. */
async function contextOf({ world, project }: Play, turn: Turn, death?: Death): Promise<Context> {
  const { ctx, process } = await world.context(project, death);
  const step = process.step.bind(process);
  process.step = async (name, effect) => {
    if (name !== "provider") await turn();
    return step(name, effect);
  };
  return ctx;
}

const reports: Report[] = [{ kind: "delivered" }, { kind: "complained" }, hardBounce([]), gaveUp([]), transient([])];

async function markAs(ctx: Context, emailId: Id, column: "opened_at" | "clicked_at"): Promise<void> {
  const where = sql`e.project_id = ${ctx.project.number} AND e.id = ${emailId} AND e.status IN ('SENT', 'DELIVERED', 'OPENED')`;
  const batch = openBatch(ctx);
  batch.add(updateMarked(ctx, { where }));
  batch.add(statement(sql`UPDATE emails AS e SET ${sql.raw(column)} = coalesce(${sql.raw(column)}, 1) WHERE ${where}`));
  await batch.commit();
}

/** One thing that happens. A refusal, of a cancellation that comes too late say, is as good as any other answer. */
type Act = (ctx: Context, random: Random, play: Play) => Promise<unknown>;

const acts: Record<string, Act> = {
  async report(ctx, random, { campaign }) {
    const tag = writeTag({ projectId: ctx.project.id, emailId: publicId(random.of(campaign.emailIds)) });
    const notice = { tag, providerMessageId: "m", id: `n${random.below(3)}`, report: random.of(reports) };
    await takeReport(ctx, "double", notice);
    if (random.isIn(50)) await takeReport(ctx, "double", notice);
  },
  deliver: (ctx, random, { campaign }) => deliverEmails(ctx, 2, random.of(campaign.pages)),
  open: (ctx, random, { campaign }) => markAs(ctx, random.of(campaign.emailIds), "opened_at"),
  click: (ctx, random, { campaign }) => markAs(ctx, random.of(campaign.emailIds), "clicked_at"),
  async leave(ctx, random, { campaign }) {
    const batch = openBatch(ctx);
    batch.addAll(updateLeftBy(ctx, random.of(campaign.emailIds), isStillSubscribed));
    await batch.commit();
  },
  cancel: (ctx, random, { campaign }) => cancelEmail(ctx, random.of(campaign.emailIds)).catch(unlessKilled),
  retry: (ctx, random, { campaign }) => retryEmail(ctx, random.of(campaign.emailIds)).catch(unlessKilled),
  count: (ctx) => countDuePages(ctx, { type: "campaigns.count", projectId: ctx.project.number }),
  read: (ctx, _, { campaign }) => findCounts(ctx, campaign.id),
};

function unlessKilled(error: unknown): void {
  if (wasKilled(error)) throw error;
}

/** Several at once, two of whom count; some die half-way. */
async function playRound(play: Play, random: Random): Promise<string[]> {
  const names = ["count", "count", ...Array.from({ length: 4 }, () => random.of(Object.keys(acts)))];
  const log: string[] = [];
  await interleave(
    names.map((name) => async (turn: Turn) => {
      const death: Death | undefined = random.isIn(25)
        ? { atStep: 1 + random.below(6), when: random.of(["before", "after"]) }
        : undefined;
      log.push(death ? `${name} †${death.when} ${death.atStep}` : name);
      const ctx = await contextOf(play, turn, death);
      try {
        await acts[name]?.(ctx, random, play);
      } catch (error) {
        if (!wasKilled(error)) throw error;
      }
    }),
    (waiting) => random.of(waiting),
  );
  return log;
}

/** What holds at every moment: the counters are what the pages say, and a page without a mark says what is. */
async function expectSound({ project, campaign }: Play, log: string[]): Promise<void> {
  const { results } = await project.db
    .prepare(
      `SELECT p.first_id, p.counts,
         (SELECT sum(e.status IN ('QUEUED', 'SENDING')) || ' ' || sum(e.opened_at IS NOT NULL) || ' ' || sum(e.bounced_at IS NOT NULL)
          FROM emails e WHERE e.project_id = p.project_id AND e.id BETWEEN p.first_id AND p.last_id) AS found
       FROM campaign_pages p WHERE p.project_id = ? AND p.campaign_id = ? AND p.recount_at IS NULL`,
    )
    .bind(project.number, campaign.id)
    .all<{ counts: string; found: string }>();
  for (const { counts, found } of results) {
    const said = Object.values<Record<string, number>>(JSON.parse(counts));
    const sum = (name: string) => said.reduce((total, one) => total + (one[name] ?? 0), 0);
    expect(`${sum("queued")} ${sum("opened")} ${sum("bounced")}`, log.join(", ")).toBe(found);
  }
}

describe("a campaign's counters, in orders that chance decides", () => {
  it.each(seeds)("seed %i: equal a recount once the marks are worked off", async (seed) => {
    const play = await newPlay(seed);
    const random = randomOf(seed);
    const { world, project, campaign } = play;
    for (let round = 0; round < rounds; round++) {
      const log = await playRound(play, random);
      await expectSound(play, log);
      world.now += random.of([0, 1_000, 5_000, 60_000]);
      if (random.isIn(30)) await world.sweep();
    }
    world.now += 15 * 60_000;
    const { ctx } = await world.context(project);
    await countDuePages(ctx, { type: "campaigns.count", projectId: project.number });
    expect(await markedPages(project, campaign)).toBe(0);
    expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
    expect(await sumPages(ctx, campaign.id)).toEqual(await recountedHours(project, campaign));
  });
});

describe("the statements of the counters", () => {
  it("read no more because a campaign, a project or the installation has more", async () => {
    const play = await newPlay(1);
    const { world, project, campaign } = play;
    const { ctx } = await world.context(project);
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There are twelve");
    await markAs(ctx, emailId, "opened_at");
    await countDuePages(ctx, { type: "campaigns.count", projectId: project.number });
    await world.sweep();
    const ours = world.statements.filter(({ sql }) => /campaign_(pages|counts)/.test(sql));
    expect(ours.length).toBeGreaterThan(3);
    await expectBounded(ours, [
      // Of one page, by its contents, which are as many as the campaign has variants.
      { sql: /^UPDATE campaign_pages AS p SET counts_before/, step: /TEMP B-TREE FOR GROUP BY/ },
      { sql: /^INSERT INTO campaign_counts/, step: /TEMP B-TREE FOR GROUP BY/ },
    ]);
  });
});
