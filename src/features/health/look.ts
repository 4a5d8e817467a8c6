import type { HealthFinding } from "../../core/operating/health-finding";
import { type ControlState, controlState } from "../../engine/operating/control-state";
import { type DatabaseState, databaseState } from "../../engine/operating/database-state";
import type { Platform } from "../../platform/context";

/** The data that checks need. Checks share it, so that each part is read at most once. */
export interface Look {
  platform: Platform;
  now: number;
  control(): Promise<ControlState>;
  /** The state of each database. Rejects when one of them cannot be read. */
  databases(): Promise<DatabaseState[]>;
}

export interface HealthCheck {
  /** The name in the answer, in snake_case. */
  name: string;
  examine(look: Look): Promise<HealthFinding>;
}

export function openLook(platform: Platform): Look {
  return {
    platform,
    now: platform.realClock().getTime(),
    control: once(() => controlState(platform)),
    databases: once(() => Promise.all(platform.shards.map((shard) => databaseState(platform, shard)))),
  };
}

/** Returns a function that reads on its first call, and gives every caller the same promise. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

/** Adds up one number over all databases. */
export function sumOf(states: readonly DatabaseState[], of: (state: DatabaseState) => number): number {
  return states.reduce((sum, state) => sum + of(state), 0);
}
