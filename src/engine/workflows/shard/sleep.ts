import { cancelled } from "../../../core/workflows/machine";
import type { Context } from "../../../platform/context";
import { letOthersIn } from "../../../platform/let-others-in";
import { showCancelled } from "./cancel";
import { forgetFinished } from "./forget";
import { type Mirrored, mirrorSome } from "./mirror";
import { moveExecution } from "./moves";
import type { ShardStore } from "./store";
import { takeWork } from "./work";

/**
 * The state of a shard that a restore has filled. "filling": its rows still arrive. "asleep": its project is not
 * enabled yet. "awake": its project has been enabled. Other shards have no such state. A shard that was awake never
 * sleeps again, so a late repeat of a restore changes nothing.
 */
export type Sleep = "filling" | "asleep" | "awake";

/** The exit reason of executions that had something to do before their restored project was enabled. */
export const dueInSleep = "Restored from a backup: the original may have taken this step";

const endedAtOnce = 100;

/**
 * Ends the executions that have something to do: those that were at work when the backup was made, and those whose time
 * has come since. The original project may already have taken the same steps, with their effects. All other executions
 * keep waiting.
 */
export async function endDue({ clock, cpu }: Context, store: ShardStore): Promise<void> {
  for (let count = endedAtOnce; count >= endedAtOnce && !cpu.isSpent(); await letOthersIn()) {
    const now = clock().getTime();
    count = store.together(() => {
      const due = takeWork(store, endedAtOnce, now);
      for (const execution of due) moveExecution(store, execution, cancelled(execution, dueInSleep, now), now);
      return due.length;
    });
  }
}

/** Mirrors the changes of a shard that sleeps, and forgets executions that ended long ago. */
export async function showSleeping(ctx: Context, shard: Mirrored): Promise<void> {
  await showCancelled(ctx, shard.store);
  while (!ctx.cpu.isSpent() && (await mirrorSome(ctx, shard))) await letOthersIn();
  while (!ctx.cpu.isSpent() && (await forgetFinished(ctx, shard.store))) await letOthersIn();
}
