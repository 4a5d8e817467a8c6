import { wakeByTime } from "../../../core/workflows/wake";
import { moveExecution } from "./moves";
import { readExecution, type ShardStore } from "./store";

/** Makes executions that wait for a call repeat their step, which finds the call or its outcome. */
export function askForCalls(store: ShardStore, now: number): void {
  const calling = store.all(readExecution, "SELECT * FROM executions WHERE wake_at IS NOT NULL AND pause = 'call'");
  for (const execution of calling) {
    moveExecution(store, execution, wakeByTime(execution, execution.wakeAt ?? now), now);
  }
}
