import { someOf } from "../../core/operating/counted";
import type { HealthFinding } from "../../core/operating/health-finding";
import { type ControlState, controlState } from "../../engine/operating/control-state";
import { type DatabaseState, databaseState, type Trouble } from "../../engine/operating/database-state";
import { projectIds } from "../../engine/operating/project-ids";
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

/**
 * Returns a sentence, to be appended to another one, that names the projects with the most emails or jobs in trouble.
 * The sentence is empty when none of these projects still exists.
 */
export async function worstProjects(
  { platform }: Look,
  states: readonly DatabaseState[],
  what: Trouble,
): Promise<string> {
  const worst = states
    .flatMap(({ troubled }) => troubled.filter((each) => each.what === what))
    .toSorted((a, b) => b.count - a.count);
  const ids = await projectIds(
    platform,
    worst.map(({ project }) => project),
  );
  const named = worst.flatMap(({ project, count }) => {
    const id = ids.get(project);
    return id === undefined ? [] : `${id} (${count})`;
  });
  return named.length === 0 ? "" : ` Projects: ${someOf(named)}.`;
}
