import { type SQL, sql } from "drizzle-orm";
import { type Backoff, backoffMs } from "../core/backoff";
import { Conflict } from "../core/errors";
import type { Id } from "../core/ids";

/**
 * Thrown when a row that a batch depends on has changed since it was read. The batch wrote nothing. See `untilFresh`.
 */
export class Stale extends Error {
  override readonly name = "Stale";
}

/** Returns the condition that a row has not changed since it was read: its `version` is still the same. */
export function isUnchanged(table: string, row: { id: Id; projectId: number; version: number }): SQL {
  return sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)}
    WHERE project_id = ${row.projectId} AND id = ${row.id} AND version = ${row.version})`;
}

/**
 * The maximum number of tries of one call. Each of n concurrent calls is overtaken at most n - 1 times, so up to this
 * many concurrent calls all succeed.
 */
const maxTries = 20;
const backoff: Backoff = { firstMs: 20, growth: 2, maxMs: 200 };

/**
 * Repeats an attempt to read, decide and commit while other requests commit first, at most `maxTries` times. Waits a
 * random time before each repeat, because calls that collided once would otherwise collide again. `attempt` gets the
 * number of the try, from 1. A later try needs this number: if an earlier try committed but its answer was lost, the
 * later one finds the call's own change and must not refuse it.
 */
export async function untilFresh<T>(attempt: (tries: number) => Promise<T>, random: () => number): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (tries === maxTries) {
        throw neverFresh(error);
      }
    }
    const waitMs = random() * backoffMs(backoff, tries - 1);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

export function neverFresh(cause?: unknown): Conflict {
  return new Conflict("Other requests kept changing this at the same time. Nothing was saved.", {
    suggestion: "Read its current state, and send the change again.",
    cause,
  });
}
