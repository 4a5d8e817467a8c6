import { aroundTrips } from "../../db/trips";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { type Away, inTurns, openLine } from "../../platform/turns";
import { type Cancelling, cancelSome, showCancelled } from "./shard-cancel";
import { forgetFinished } from "./shard-forget";
import { type Mirrored, mirrorEnded, mirrorSome } from "./shard-mirror";
import { runRound } from "./shard-pump";
import { countActive, countWork, hasUnmirrored, hasWork } from "./shard-rows";
import { forgetSeen } from "./shard-starts";

/** One invocation may make a thousand calls, and a round makes some five. */
const maxRounds = 100;
/** Between mirrorings while there is always something to do. */
const roundsPerMirroring = 20;

/** Does what there is to do, round by round, and shows it in the mirror. The alarm goes on where the CPU is spent. */
export async function runRounds(given: Context, shard: Mirrored): Promise<void> {
  const { store } = shard;
  await showCancelled(given, store);
  for (let round = 1; round <= maxRounds && !given.cpu.isSpent(); round++) {
    const isOver = await inRound(given, countWork(store, given.clock().getTime()), async (ctx) => {
      const hadWork = await runRound(ctx, shard);
      const mayMirror = !hadWork || round % roundsPerMirroring === 0 || ctx.cpu.isSpent();
      const isMirrored = mayMirror && !(await mirrorSome(ctx, shard));
      const isClean = isMirrored && !(await forgetFinished(ctx, store));
      return !hadWork && isClean && !hasWork(store) && !hasUnmirrored(store);
    });
    if (isOver) break;
    await letOthersIn();
  }
  forgetSeen(store, given.clock().getTime());
}

/** How long to go on ending executions, and what to do when some are ended and not shown yet. */
interface Ending {
  now(): number;
  isWanted(): boolean;
  whenEnded(): void;
}

/** Ends executions piece by piece, so that nobody waits for all of it. Who dies in the middle has ended some. */
export async function endPieces(outer: Context, shard: Mirrored, given: Cancelling, ending: Ending): Promise<number> {
  const { store } = shard;
  let ended = 0;
  for (let isOver = false; !isOver; await letOthersIn()) {
    isOver = await inRound(outer, countActive(store), async (ctx) => {
      if (!ending.isWanted()) return true;
      const { count, isLast } = store.together(() => cancelSome(store, given, ending.now()));
      ending.whenEnded();
      await showCancelled(ctx, store);
      await mirrorEnded(ctx, shard);
      ended += count;
      return isLast;
    });
  }
  return ended;
}

/** Rounds that are under way in this isolate, by how many executions each moves. */
const rounds = openLine();

/**
 * Does a round, or a part of the work that is as large. Of all shards of this isolate one computes at a time; while a round
 * waits for a database or a queue, which may be far away, others go on. Large rounds are few all the same: their batches share
 * the thread of the database, and their rows the memory of the isolate.
 */
async function inRound<T>(ctx: Context, executions: number, work: (ctx: Context) => Promise<T>): Promise<T> {
  const round = await rounds.take(ctx.executionsAtOnce, executions);
  try {
    return await inTurns((away) =>
      work(
        outside(ctx, async (wait) => {
          round.keep();
          return away(wait).finally(round.keep);
        }),
      ),
    );
  } finally {
    round.giveBack();
  }
}

/** The context of a round: whatever it waits for outside of the isolate, it waits for without a turn. */
function outside(ctx: Context, away: Away): Context {
  return {
    ...ctx,
    db: aroundTrips(ctx.db, away),
    control: aroundTrips(ctx.control, away),
    enqueue: (messages) => away(() => ctx.enqueue(messages)),
  };
}
