import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { Conflict } from "../../core/errors";
import { GuardFailed, guard } from "../../db/commit";
import type { Context } from "../../platform/context";

/** What a project may have: `GET /segments` answers them all, with their conditions. */
export const mostSegments = 1_000;
const mostConditionBytes = 4_000_000;

const tooMany = "full";
const tooLarge = "large";

/** The guards for the batch that saves a segment: beside all others of the project there is room for it and its condition. */
export function guardRoom(ctx: Context, id: string, condition: FilterCondition | null): D1PreparedStatement[] {
  const others = sql`FROM segments WHERE project_id = ${ctx.project.id} AND id <> ${id}`;
  const bytes = new TextEncoder().encode(JSON.stringify(condition)).length;
  return [
    guard(ctx.db, tooMany, sql`(SELECT count(*) ${others}) < ${mostSegments}`),
    guard(
      ctx.db,
      tooLarge,
      sql`(SELECT coalesce(sum(octet_length(condition)), 0) ${others}) + ${bytes} <= ${mostConditionBytes}`,
    ),
  ];
}

/** Throws Conflict when there was no room, and the error itself when it is another. */
export function refuseForRoom(error: unknown): never {
  const suggestion = "Delete segments that are no longer used, or pass a condition to the call that needs it.";
  if (error instanceof GuardFailed && error.guard === tooMany) {
    throw new Conflict(`A project has at most ${mostSegments} segments. Nothing was saved.`, { suggestion });
  }
  if (error instanceof GuardFailed && error.guard === tooLarge) {
    const megabytes = mostConditionBytes / 1_000_000;
    throw new Conflict(`The conditions of a project's segments come to ${megabytes} MB at most. Nothing was saved.`, {
      suggestion,
    });
  }
  throw error;
}
