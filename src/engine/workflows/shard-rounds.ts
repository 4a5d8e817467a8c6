import type { Context } from "../../platform/context";
import { letOthersIn, takeTurn } from "../../platform/let-others-in";
import { type Cancelling, cancelSome, showCancelled } from "./shard-cancel";
import { forgetFinished } from "./shard-forget";
import { type Mirrored, mirrorEnded, mirrorSome } from "./shard-mirror";
import { runRound } from "./shard-pump";
import { hasUnmirrored, hasWork } from "./shard-rows";
import { forgetSeen } from "./shard-starts";

/** One invocation may make a thousand calls, and a round makes some five. */
const maxRounds = 100;
/** Between mirrorings while there is always something to do. */
const roundsPerMirroring = 20;

/** Does what there is to do, round by round, and shows it in the mirror. */
export async function runRounds(ctx: Context, shard: Mirrored): Promise<void> {
  const { store } = shard;
  await showCancelled(ctx, store);
  for (let round = 1; round <= maxRounds; round++) {
    const isOver = await inTurn(ctx, async () => {
      const hadWork = await runRound(ctx, shard);
      const mayMirror = !hadWork || round % roundsPerMirroring === 0;
      const isMirrored = mayMirror && !(await mirrorSome(ctx, shard));
      const isClean = isMirrored && !(await forgetFinished(ctx, store));
      return !hadWork && isClean && !hasWork(store) && !hasUnmirrored(store);
    });
    if (isOver) break;
    await letOthersIn();
  }
  forgetSeen(store, ctx.clock().getTime());
}

/** How long to go on ending executions, and what to do when some are ended and not shown yet. */
interface Ending {
  now(): number;
  isWanted(): boolean;
  whenEnded(): void;
}

/** Ends executions piece by piece, so that nobody waits for all of it. Who dies in the middle has ended some. */
export async function endPieces(ctx: Context, shard: Mirrored, given: Cancelling, ending: Ending): Promise<number> {
  const { store } = shard;
  let ended = 0;
  for (let isOver = false; !isOver; await letOthersIn()) {
    isOver = await inTurn(ctx, async () => {
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

async function inTurn<T>({ roundsAtOnce }: Context, work: () => Promise<T>): Promise<T> {
  const giveBack = await takeTurn(roundsAtOnce);
  try {
    return await work();
  } finally {
    giveBack();
  }
}
