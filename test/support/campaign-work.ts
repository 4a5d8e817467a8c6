import { newAccount } from "../../src/core/mail/account";
import { comingAgain } from "../../src/core/messages";
import { queueDueCounts } from "../../src/engine/campaigns/count-due";
import { endSnoozes } from "../../src/engine/contacts/end-snoozes";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { releaseHeld } from "../../src/engine/mail/release-held";
import { requeueStuck } from "../../src/engine/mail/requeue-stuck";
import { queueDueCampaigns } from "../../src/features/campaigns/queue-due";
import { updateProject } from "../../src/features/projects/update";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import type { Draw, Drawn } from "./campaign-changes";
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
      for (let n = 0; n < messages; n++) await takeMessage(play, ctx);
    },
  };
}

/** The queue brings a message again when its consumer has died, brings some twice, and loses some. */
async function takeMessage({ world, random, doubted, project, log }: Play, ctx: Context): Promise<void> {
  const { queue } = world;
  const due = queue.filter((one) => one.due <= world.now);
  if (due.length === 0) return;
  const next = random.of(due);
  const { message } = next.queued;
  const isDoubled = random.isIn(15);
  if (!isDoubled) queue.splice(queue.indexOf(next), 1);
  const isLost = random.isIn(6);
  log.push(`${world.now} ${message.type}${isDoubled ? ", doubled" : ""}${isLost ? ", lost" : ""}`);
  if (isLost) return;
  try {
    await handleMessage({ ...ctx, now: ctx.clock() }, message, []);
  } catch (error) {
    queue.push({ queued: { ...next.queued, message: comingAgain(message) }, due: world.now + 5_000 });
    if (wasKilled(error)) await doubtOpen(doubted, project);
    throw error;
  }
}

/** Whoever dies may have handed over what is SENDING now. */
async function doubtOpen(doubted: Set<string>, { db, number }: Play["project"]): Promise<void> {
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

function toggleProject(play: Play): Drawn {
  const disabled = !play.row.disabled;
  return {
    name: disabled ? "disable the project" : "enable the project",
    isImmortal: true,
    async run(ctx) {
      play.row = await updateProject(ctx, play.project.id, { disabled });
    },
    told: (span) => play.isDisabled.write(disabled, span),
  };
}
