import { type Backoff, backoffMs } from "../../../core/backoff";
import { dayMs, minuteMs, secondMs } from "../../../core/time";
import { hasUnmirrored } from "./changes";
import { nextForgetting } from "./forget";
import type { ShardStore } from "./store";
import { hasWork, nextWake } from "./work";

/** If the object dies while working, its alarm restarts it after this many milliseconds. */
const leaseMs = 10 * secondMs;
/**
 * A restore fills a shard in less than this many milliseconds. A shard that is still being filled afterwards checks
 * whether its project exists: a late call may have written to the shard after the project was deleted.
 */
const fillingMs = dayMs;
const failureBackoff: Backoff = { firstMs: 5 * secondMs, growth: 2, maxMs: 5 * minuteMs };

/** The part of an object's state that is not in its rows. */
interface Condition {
  now: number;
  /** How many times in a row the pump has failed. */
  failures: number;
  isAtWork: boolean;
  /** Whether a restore is still adding rows. Nothing is due until all are added. */
  isFilling: boolean;
  /** Whether the shard sleeps and must wake, although none of its executions is due. */
  isWaking: boolean;
  /**
   * Whether the project has a test clock. Then only an advance wakes waiting executions, so their times set no alarm.
   */
  hasOwnClock: boolean;
  executionRetentionMs: number;
}

/** Returns when the object next has something to do; null if it has nothing. */
export function nextDue(store: ShardStore, condition: Condition): number | null {
  const { now, failures, isAtWork, isFilling, isWaking, hasOwnClock, executionRetentionMs } = condition;
  if (failures > 0) return now + backoffMs(failureBackoff, failures - 1);
  if (isFilling) return now + fillingMs;
  if (isWaking || hasWork(store) || hasUnmirrored(store)) return isAtWork ? now + leaseMs : now;
  const times = [hasOwnClock ? null : nextWake(store), nextForgetting(store, executionRetentionMs)];
  return times.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a));
}

export interface Alarm {
  /** Sets the alarm to the given time, unless it is already set to that time. */
  setFor(at: number): void;
  hasRung(): void;
  delete(): Promise<void>;
}

export function openAlarm(storage: DurableObjectStorage): Alarm {
  let ringsAt: number | null = null;
  return {
    setFor(at) {
      if (at === ringsAt) return;
      ringsAt = at;
      void storage.setAlarm(at);
    },
    hasRung() {
      ringsAt = null;
    },
    delete() {
      ringsAt = null;
      return storage.deleteAlarm();
    },
  };
}
