import { type SQL, sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The maximum number of addresses that calls may add to a project's list. Bounces and complaints are added even beyond
 * this limit.
 */
const maxSuppressions = 1_000_000;

/**
 * Counts addresses before they are added to the suppression list, in the batch that adds them. `added` is a SELECT of
 * `project_id, email`, each address once. Addresses that are already on the list do not count.
 */
export function countAdded(added: SQL): Statement {
  return addToCount(withoutListed(added));
}

/** Counts addresses before they are removed from the list. `where` selects them among the suppressions. */
export function countRemoved(where: SQL): Statement {
  return addToCount(sql`SELECT project_id, -1 AS n FROM suppressions WHERE ${where}`);
}

function addToCount(changes: SQL): Statement {
  return statement(
    sql`INSERT INTO project_counts (project_id, suppressions)
      SELECT project_id, sum(n) FROM (${changes}) WHERE true GROUP BY project_id
      ON CONFLICT DO UPDATE SET suppressions = project_counts.suppressions + excluded.suppressions`,
  );
}

/**
 * Stops the whole batch when the suppression list would exceed its limit. Must come before the insert. `added` is as in
 * `countAdded`; addresses that are already on the list are always allowed. `field` is the field that the refusal names.
 */
export function guardSuppressions(ctx: Context, field: string, added: SQL): Statement {
  const message = `The suppression list of this project can have at most ${maxSuppressions} addresses, and would have more`;
  const listed = sql`coalesce((SELECT suppressions FROM project_counts WHERE ${inProject(ctx)}), 0)`;
  const unlisted = sql`(SELECT count(*) FROM (${withoutListed(added)}))`;
  return guard(
    sql`${unlisted} = 0 OR ${listed} + ${unlisted} <= ${maxSuppressions}`,
    () => new Invalid([{ field, code: "too_big", message }]),
  );
}

function withoutListed(added: SQL): SQL {
  return sql`SELECT a.project_id, 1 AS n FROM (${added}) a WHERE NOT EXISTS (SELECT 1 FROM suppressions s
    WHERE s.project_id = a.project_id AND s.email = a.email)`;
}
