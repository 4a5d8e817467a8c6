import { dispatchStranded } from "../../src/engine/events/dispatch-stranded";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { requeueStuck } from "../../src/engine/mail/deliver/requeue-stuck";
import { queueDue } from "../../src/engine/outbound/sweeps";
import { workflowCalls } from "../../src/engine/workflows/calls/calls";
import { wakeOverdue } from "../../src/features/workflows/executions/wake-overdue";
import type { Context } from "../../src/platform/context";
import { type Drawn, takeMessage } from "./acts";
import { wasKilled } from "./killable";
import { type Draw, track } from "./workflow-model-acts";
import { advance, type Play } from "./workflow-model-play";

/** The queue, the cron, the alarms, and time. Whatever is in the list more often is drawn more often. */
export const working: Draw[] = [
  ...[consumer, consumer, consumer, consumer, consumer, consumer, consumer, ring, ring, ring, timePasses, timePasses],
  ...[sweep, sweep, evict],
];

/** A consumer takes some messages, one after another. */
function consumer(play: Play): Drawn {
  const { world, random } = play;
  const messages = random.of([1, 1, 2, 4, 8]);
  if (world.queue.length === 0) return random.isIn(50) ? track(play) : timePasses(play);
  return {
    name: `${messages} messages`,
    async run(ctx) {
      const first = world.queue.reduce((least, { due }) => Math.min(least, due), Number.POSITIVE_INFINITY);
      if (first < Number.POSITIVE_INFINITY && random.isIn(50)) advance(play, Math.max(0, first - world.now));
      for (let n = 0; n < messages; n++) await consume(play, ctx);
    },
  };
}

async function consume(play: Play, ctx: Context): Promise<void> {
  try {
    await takeMessage(play, ctx, { lostPercent: 5 });
  } catch (error) {
    if (wasKilled(error)) play.hasKilledConsumer = true;
    throw error;
  }
}

const queueDueCalls = (ctx: Context) => queueDue(ctx, workflowCalls());
const sweeps = { dispatchStranded, requeueLostJobs, requeueStuck, queueDueCalls, wakeOverdue };

export async function sweepAll(ctx: Context): Promise<void> {
  for (const sweep of Object.values(sweeps)) await sweep({ ...ctx, now: ctx.clock() });
}

function sweep(play: Play): Drawn {
  const name = play.random.of(Object.keys(sweeps) as (keyof typeof sweeps)[]);
  return { name, run: sweeps[name] };
}

function timePasses(play: Play): Drawn {
  const { random } = play;
  const seconds = random.of([1, 15, 30, 30, 59, 60, 60, 60, 65, 300, 600, 3_600, 86_400]);
  return { name: `${seconds} seconds pass`, run: async () => advance(play, seconds * 1_000) };
}

/** Alarms that are due ring, or are lost, or ring twice. */
function ring(play: Play): Drawn {
  const { random, shards } = play;
  const how = random.of(["once", "once", "once", "twice", "lost"] as const);
  return {
    name: `alarms ring ${how}`,
    async run() {
      for (const address of shards.known) await shards.ring(address, how);
    },
  };
}

function evict(play: Play): Drawn {
  return {
    name: "an object is evicted",
    async run() {
      play.log.push(`${play.world.now} evicted: ${play.shards.evict()}`);
    },
  };
}
