import { belowAllIds } from "../../../core/ids";
import { advance, beginWait, isWait } from "../../../core/workflows/machine";
import type { Context } from "../../../platform/context";
import type { Standing } from "./arrivals";
import { type ExecutionChange, moveExecutions } from "./moves";
import type { ShardStore } from "./store";
import { readNewest } from "./wait";

/**
 * Records the last event before each wait, because only later events count. Called before the effect of the step that
 * leads to the wait or, if that step has no effect, on arrival at the wait. If an object dies and records the arrival
 * late, events since the arrival still count.
 */
export async function recordWaitStart(ctx: Context, store: ShardStore, group: Standing[]): Promise<void> {
  const asking = group.filter(({ execution }) => execution.since === null);
  if (asking.length === 0) return;
  const newest = await readNewest(
    ctx,
    asking.map(({ execution: { contactId, ordinal, startedAt, enteredAt }, step }) => {
      // An execution that was started by hand and reaches a wait at once has waited since its start.
      const waitsSince = ordinal === 1 ? startedAt : enteredAt;
      return { contactId, upTo: isWait(step) ? waitsSince : null };
    }),
  );
  const now = ctx.clock().getTime();
  store.together(() => {
    const moved = moveExecutions(
      store,
      asking.map(({ read, execution, passed }, index) => ({
        read,
        position: { ...execution, since: newest[index] ?? belowAllIds },
        records: passed,
      })),
      now,
    );
    asking.forEach((one, index) => {
      const stored = moved[index];
      if (stored) Object.assign(one, { read: stored, execution: stored, passed: [] });
    });
  });
}

/** Makes the executions of a group wait, each for an event after its recorded `since`. */
export function enterWaits(store: ShardStore, group: Standing[], now: number): void {
  const changes = group.flatMap(({ execution, step, workflow: { graph, takesPublic } }): ExecutionChange | [] => {
    const wait = beginWait(step, execution, execution.since ?? belowAllIds);
    if (wait === null) return [];
    const { position, record } = advance(graph, execution, wait, now);
    return { read: execution, position, records: record ? [record] : [], extra: { takesPublic, needs: "log" } };
  });
  store.together(() => moveExecutions(store, changes, now));
}
