import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { queueDueCounts } from "../../src/engine/campaigns/count-due";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { releaseHeld } from "../../src/engine/mail/deliver/release-held";
import { requeueStuck } from "../../src/engine/mail/deliver/requeue-stuck";
import { queueDueCampaigns } from "../../src/features/campaigns/queue-due";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { updateProject } from "../../src/features/projects/update";
import { handleMessage } from "../../src/queue";
import { drawActs } from "../support/campaign-acts";
import { campaignsNow, faultsAtRest, observe } from "../support/campaign-faults";
import { contextOf, newPlay, type Play } from "../support/campaign-play";
import { verifyDomain } from "../support/campaign-work";
import { inLine, interleave } from "../support/interleave";
import { markedPages, recounted, storedCounts } from "../support/ledger";
import { randomOf } from "../support/random";

const first = Number(env.PETREL_MODEL_FIRST ?? 1);
// Each takes half a second.
const seeds = Array.from({ length: 3 * Number(env.PETREL_MODEL_SEEDS) }, (_, n) => first + n);
const rounds = 20;

/** What is due in the queue, one after another. */
async function drain(play: Play): Promise<void> {
  const { world } = play;
  for (let turn = 0; turn < 500; turn++) {
    const index = world.queue.findIndex(({ due }) => due <= world.now);
    const [next] = index < 0 ? [] : world.queue.splice(index, 1);
    if (!next) return;
    await handleMessage(contextOf(play), next.queued.message, []);
  }
  throw new Error("The queue never comes to rest");
}

async function sweepAll(play: Play): Promise<void> {
  for (const sweep of [releaseHeld, requeueStuck, requeueLostJobs, queueDueCounts, queueDueCampaigns])
    await sweep(contextOf(play));
}

/** Nothing fails any more, the project is enabled, and whatever is held goes on, until nothing is under way. */
async function comeToRest(play: Play): Promise<void> {
  const { world, provider, project } = play;
  provider.isCalm = true;
  const from = world.now;
  play.row = await updateProject(contextOf(play), project.id, { disabled: false });
  await verifyDomain(play, true);
  play.isDisabled.write(false, { from, to: world.now, isSure: true });
  for (let turn = 0; turn < 40; turn++) {
    world.now += (turn < 6 ? 1 : 16) * 60_000;
    const campaigns = await campaignsNow(project);
    for (const { id, status, heldReason } of campaigns) {
      if (status !== "SENDING" || heldReason === null) continue;
      const from = world.now;
      await resumeCampaign(contextOf(play), readId(id));
      play.deeds.push({ kind: "resume", id, from, to: world.now, isSure: true });
    }
    await sweepAll(play);
    await drain(play);
    const isOver = (await campaignsNow(project)).every(
      ({ status, open }) => status !== "SENDING" && status !== "SCHEDULED" && open === 0,
    );
    if (isOver && turn > 2 && (await restless(play)) === 0) return;
  }
}

/** Emails that are open, also of deleted campaigns, and pages that are to be counted. */
async function restless({ project: { db, number } }: Play): Promise<number> {
  const query = db.prepare(
    `SELECT (SELECT count(*) FROM emails WHERE project_id = ?1 AND status IN ('QUEUED', 'SENDING'))
      + (SELECT count(*) FROM campaign_pages WHERE project_id = ?1 AND recount_at IS NOT NULL)
      + (SELECT count(*) FROM campaign_runs WHERE project_id = ?1) AS n`,
  );
  return (await query.bind(number).first<number>("n")) ?? 0;
}

async function expectCounted({ world, project, campaigns }: Play): Promise<void> {
  const there = (await campaignsNow(project)).map(({ id }) => id);
  for (const { row } of campaigns.filter(({ id }) => there.includes(id))) {
    const campaign = { id: row, pages: [], emailIds: [] };
    expect(await markedPages(project, campaign)).toBe(0);
    expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
  }
}

describe("campaigns, in orders that chance decides", () => {
  it.each(seeds)("end with each recipient in one final state: seed %i", async (seed) => {
    const random = randomOf(seed * 7_919);
    const play = await newPlay(random);
    const faults: string[] = [];
    try {
      for (let round = 0; round < rounds; round++) {
        const acts = drawActs(play);
        play.log.push(`round ${round}: ${acts.map(({ name }) => name).join(" | ")}`);
        await interleave(
          acts.map(({ run }) => run),
          inLine(random, acts.length).pick,
        );
        faults.push(...(await observe(play)));
      }
      await comeToRest(play);
      faults.push(...(await observe(play)), ...(await faultsAtRest(play)));
    } catch (error) {
      throw new Error(play.log.join("\n"), { cause: error });
    }
    expect(faults, play.log.join("\n")).toEqual([]);
    await expectCounted(play);
  });
});
