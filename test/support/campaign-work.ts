import { newAccount } from "../../src/core/mail/account";
import { queueDueCounts } from "../../src/engine/campaigns/count-due";
import { endSnoozes } from "../../src/engine/contacts/end-snoozes";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { releaseHeld } from "../../src/engine/mail/deliver/release-held";
import { requeueStuck } from "../../src/engine/mail/deliver/requeue-stuck";
import { queueDueCampaigns } from "../../src/features/campaigns/queue-due";
import type { Context } from "../../src/platform/context";
import { type Drawn, takeMessage, toggleProject } from "./acts";
import type { Draw } from "./campaign-changes";
import { send } from "./campaign-deeds";
import type { Play } from "./campaign-play";
import { wasKilled } from "./killable";

/** The queue and the cron. */
export const working: Draw[] = [consumer, consumer, consumer, consumer, sweep];

/** What happens to the world, and to the whole project. */
export const around: Draw[] = [
  ...[outage, outage, timePasses, timePasses, timePasses, evict, toggleProject, toggleDomain, sweep],
];

/** A consumer takes some messages, one after another. */
function consumer(play: Play): Drawn {
  const { world, random } = play;
  const messages = random.of([1, 1, 2, 4, 8]);
  const first = world.queue.reduce((least, { due }) => Math.min(least, due), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return random.isIn(30) ? send(play) : sweep(play);
  if (random.isIn(50)) world.now = Math.max(world.now, first);
  return {
    name: `${messages} messages`,
    async run(ctx) {
      for (let n = 0; n < messages; n++) await consume(play, ctx);
    },
  };
}

async function consume(play: Play, ctx: Context): Promise<void> {
  try {
    await takeMessage(play, ctx, { lostPercent: 6, listeners: [] });
  } catch (error) {
    if (wasKilled(error)) await doubtOpen(play);
    throw error;
  }
}

/** Whoever dies may have handed over what is SENDING now. */
async function doubtOpen({ doubted, project: { db, number } }: Play): Promise<void> {
  const { results } = await db
    .prepare("SELECT id FROM emails WHERE project_id = ? AND status = 'SENDING'")
    .bind(number)
    .all<{ id: string }>();
  for (const { id } of results) doubted.add(id);
}

const sweeps = { releaseHeld, requeueStuck, requeueLostJobs, queueDueCounts, queueDueCampaigns, endSnoozes };

function sweep(play: Play): Drawn {
  const name = play.random.of(Object.keys(sweeps) as (keyof typeof sweeps)[]);
  return {
    name,
    run: sweeps[name],
    told(span) {
      if (name !== "endSnoozes") return;
      for (const { wasSnoozed, subscribed } of play.people) {
        if (wasSnoozed) subscribed.write(true, { ...span, isSure: false });
      }
    },
  };
}

function outage({ world, provider, random }: Play): Drawn {
  const ending = random.of(["threw", "taken, but threw", "unavailable", "throttled", "blocked"] as const);
  return {
    name: `for an hour each call ends so: ${ending}`,
    run: async () => {
      provider.outage = { ending, until: world.now + 3_600_000 };
    },
  };
}

function timePasses({ world, random }: Play): Drawn {
  const minutes = random.of([1, 1, 2, 5, 5, 20, 70]);
  return {
    name: `${minutes} minutes pass`,
    run: async () => {
      world.now += minutes * 60_000;
    },
  };
}

/** The object of the provider's account is a new one. */
function evict({ world }: Play): Drawn {
  return {
    name: "the account is evicted",
    run: async () => {
      world.account = newAccount(world.account.lanes);
    },
  };
}

/** The checks of DNS find the sender's domain, or do not. */
function toggleDomain(play: Play): Drawn {
  const isVerified = !play.isVerified.possible(play.world.now + 1).has(true);
  return {
    name: isVerified ? "the domain is verified" : "the domain is not verified any more",
    isImmortal: true,
    run: () => verifyDomain(play, isVerified),
    told: (span) => play.isVerified.write(isVerified, span),
  };
}

export async function verifyDomain({ project: { db, number } }: Play, isVerified: boolean): Promise<void> {
  const change = db.prepare("UPDATE domains SET status = ? WHERE project_id = ?");
  await change.bind(isVerified ? "VERIFIED" : "FAILED", number).run();
}
