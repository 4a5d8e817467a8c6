import { type SQL, sql } from "drizzle-orm";
import { belowAllIds, type Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** Returns a query for the ids of the project's next jobs that have errors. */
export function pageOfErrors(ctx: Context, after: Id, jobs: number): SQL {
  return sql`SELECT id FROM jobs INDEXED BY ix_jobs_errors
    WHERE ${inProject(ctx)} AND id > ${after} AND errors <> '[]' ORDER BY id LIMIT ${jobs}`;
}

export function hasErrors(ctx: Context): SQL {
  return sql`EXISTS (${pageOfErrors(ctx, belowAllIds, 1)})`;
}

/** Clears the address in each error `e` of these jobs that matches `isErased`. */
export function updateErasedErrors(ctx: Context, ids: Id[], isErased: SQL): Statement {
  return statement(
    sql`UPDATE jobs SET errors = (SELECT json_group_array(json(iif(${isErased}, json_set(e.value, '$.email', ''), e.value)))
        FROM json_each(jobs.errors) e)
      WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
        AND EXISTS (SELECT 1 FROM json_each(jobs.errors) e WHERE ${isErased})`,
  );
}
