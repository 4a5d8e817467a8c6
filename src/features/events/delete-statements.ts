import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** Each row is in six indexes and two kept counts: a statement over more would hold up everybody else. */
export const rowsPerStatement = 250;

/** The events of a name that a call deletes: those that come after it stay. `before` is the first id that does. */
export const Doomed = z.object({ name: z.string(), before: z.string() });
export type Doomed = z.infer<typeof Doomed>;

/** The oldest of them. Returns a row for each. */
export function deleteOldest(ctx: Context, doomed: Doomed): Statement {
  return statement(sql`DELETE FROM events WHERE rowid IN (${oldest(ctx, doomed)}) RETURNING 1`);
}

/** A SELECT of those that `deleteOldest` takes next. */
export function oldest(ctx: Context, { name, before }: Doomed): SQL {
  return sql`SELECT rowid FROM events INDEXED BY ix_events_name
    WHERE project_id = ${ctx.project.id} AND name = ${name} AND id < ${before} ORDER BY id LIMIT ${rowsPerStatement}`;
}
