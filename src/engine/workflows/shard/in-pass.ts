import { aroundTrips } from "../../../db/trips";
import type { Context } from "../../../platform/context";
import { type Away, inTurns, openLine } from "../../../platform/turns";

/** The passes that are running in this isolate, weighted by the number of executions that each moves. */
const passes = openLine();

/**
 * Runs a pass, or other work of that size. Only one shard of this isolate computes at a time. While a pass waits for a
 * database or a queue, which may be far away, other passes run. Even so, only a few large passes run at once, because
 * their batches share the database's thread and their rows share the isolate's memory.
 */
export async function inPass<T>(ctx: Context, executions: number, work: (ctx: Context) => Promise<T>): Promise<T> {
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
