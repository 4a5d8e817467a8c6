import { sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** Makes open jobs due if a restore has inserted them without a due time. The sweep announces them. */
export function updateResumed(ctx: Context): Statement {
  return statement(
    sql`UPDATE jobs SET next_announce_at = ${ctx.realClock().getTime()} WHERE ${inProject(ctx)}
      AND status IN ('queued', 'processing') AND next_announce_at IS NULL`,
  );
}
