import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { guard, type Statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The maximum number of segments of a project, and the maximum total size of their conditions, in bytes. Both are
 * limited, because `GET /segments` returns all segments with their conditions.
 */
export const maxSegments = 1_000;
const maxConditionBytes = 4_000_000;

const suggestion = "Delete segments that are no longer used, or pass a condition to the call that needs it.";

/**
 * Returns the guards of a batch that saves a segment: they limit the number of the project's segments, and the bytes of
 * their conditions.
 */
export function guardQuota(ctx: Context, id: Id, condition: FilterCondition | null): Statement[] {
  const others = sql`FROM segments WHERE ${inProject(ctx)} AND id <> ${id}`;
  const bytes = new TextEncoder().encode(JSON.stringify(condition)).length;
  const megabytes = maxConditionBytes / 1_000_000;
  return [
    guard(sql`(SELECT count(*) ${others}) < ${maxSegments}`, tooManySegments),
    guard(
      sql`(SELECT coalesce(sum(octet_length(condition)), 0) ${others}) + ${bytes} <= ${maxConditionBytes}`,
      () =>
        new Conflict(`A project's segments may have at most ${megabytes} MB of conditions. Nothing was saved.`, {
          suggestion,
        }),
    ),
  ];
}

export function tooManySegments(): Conflict {
  return new Conflict(`A project may have at most ${maxSegments} segments. Nothing was saved.`, { suggestion });
}
