import { chunksOf } from "../../../core/chunks";
import { aroundTrips } from "../../../db/trips";
import type { Context } from "../../../platform/context";
import { letOthersIn } from "../../../platform/let-others-in";
import { type Away, inTurns, openLine } from "../../../platform/turns";
import { walkActive } from "./active";
import { type Cancelling, cancelledAtOnce, cancelThese, showCancelled, toCancel } from "./cancel";
import { hasChangeUpTo, hasUnmirrored, nextChange } from "./changes";
import { forgetFinished } from "./forget";
import { type Mirrored, mirrorSome } from "./mirror";
import { runPass } from "./pass";
import { forgetSeen } from "./starts";
import { countWork, executionsPerPass, hasWork } from "./work";

/** The most passes of one invocation, which may make a thousand subrequests. A pass makes about five. */
const maxPasses = 100;
/** The number of passes between two updates of the mirror, as long as work is left. */
const passesPerMirroring = 20;

/**
 * Works in passes until nothing is left to do, and mirrors the results. When the CPU time is spent, the alarm continues
 * the work.
 */
export async function runPasses(given: Context, shard: Mirrored): Promise<void> {
  const { store } = shard;
  await showCancelled(given, store);
  for (let pass = 1; pass <= maxPasses && !given.cpu.isSpent(); pass++) {
    const isOver = await inPass(given, countWork(store, given.clock().getTime()), async (ctx) => {
      const hadWork = await runPass(ctx, shard);
      const mayMirror = !hadWork || pass % passesPerMirroring === 0 || ctx.cpu.isSpent();
      const isMirrored = mayMirror && !(await mirrorSome(ctx, shard));
      const isClean = isMirrored && !(await forgetFinished(ctx, store));
      return !hadWork && isClean && !hasWork(store) && !hasUnmirrored(store);
    });
    if (isOver) break;
    await letOthersIn();
  }
  forgetSeen(store, given.clock().getTime());
}

/** When to stop ending executions, and what to do after each chunk. */
interface Ending {
  now(): number;
  isWanted(): boolean;
  whenEnded(): void;
}

/**
 * Ends executions in chunks, so that other calls can run in between. If the object dies in the middle, only some of the
 * executions have ended.
 */
export async function endInChunks(outer: Context, shard: Mirrored, given: Cancelling, ending: Ending): Promise<number> {
  const { store } = shard;
  let ended = 0;
  for (const window of walkActive(store)) {
    // An execution never changes its id, and an ended one never continues. So each execution that is still active when
    // its chunk is handled is cancelled, even if it has moved meanwhile.
    for (const ids of chunksOf(toCancel(store, given, window), cancelledAtOnce)) {
      await inPass(outer, weightOf(ids.length), async (ctx) => {
        if (!ending.isWanted()) return;
        const count = store.together(() => cancelThese(store, given, ids, ending.now()));
        if (count > 0) ending.whenEnded();
        await showCancelled(ctx, store);
        ended += count;
      });
    }
    await letOthersIn();
    if (!ending.isWanted()) return ended;
  }
  // A caller gets its answer once the mirror shows all ended executions, including those that an interrupted call
  // ended.
  const newest = nextChange(store);
  for (let isOver = false; !isOver; await letOthersIn()) {
    isOver = await inPass(outer, executionsPerPass, async (ctx) => {
      if (!ending.isWanted() || !hasChangeUpTo(store, newest)) return true;
      await mirrorSome(ctx, shard);
      return false;
    });
  }
  return ended;
}

/** A large chunk counts as infinite, so that no pass runs next to it. */
function weightOf(chunk: number): number {
  return chunk < executionsPerPass ? Math.max(1, chunk) : Number.POSITIVE_INFINITY;
}

/** The passes that are running in this isolate, weighted by the number of executions that each moves. */
const passes = openLine();

/**
 * Runs a pass, or other work of that size. Only one shard of this isolate computes at a time. While a pass waits for a
 * database or a queue, which may be far away, other passes run. Even so, only a few large passes run at once, because
 * their batches share the database's thread and their rows share the isolate's memory.
 */
async function inPass<T>(ctx: Context, executions: number, work: (ctx: Context) => Promise<T>): Promise<T> {
  const pass = await passes.take(ctx.executionsAtOnce, executions);
  try {
    return await inTurns((away) =>
      work(
        outside(ctx, async (wait) => {
          pass.keep();
          return away(wait).finally(pass.keep);
        }),
      ),
    );
  } finally {
    pass.giveBack();
  }
}

/** Returns the context of a pass, which gives up its turn while it waits for anything outside the isolate. */
function outside(ctx: Context, away: Away): Context {
  return {
    ...ctx,
    db: aroundTrips(ctx.db, away),
    control: aroundTrips(ctx.control, away),
    enqueue: (messages) => away(() => ctx.enqueue(messages)),
  };
}
