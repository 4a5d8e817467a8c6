import { type SQL, sql } from "drizzle-orm";
import { belowAllIds } from "../../../core/ids";
import { inProject } from "../../../db/scope";
import { noRows, type Statement, statement } from "../../../db/statement";
import { upsertCounts } from "../../../engine/contacts/counts";
import type { Context } from "../../../platform/context";

/**
 * Matches every id, so that the planner reads the contacts by their primary key. Without this condition, the planner
 * would scan the index of the contacts' list.
 */
const everyId = sql`id > ${belowAllIds}`;

/**
 * Returns the statement that removes a key from the contacts that have it. Afterwards, `changes()` is the number of
 * these contacts. A patch with a single null removes exactly this key, whatever its name, and leaves every other byte
 * of the data unchanged.
 */
export function updateWithoutKey(ctx: Context, key: string, at: Date, range: SQL = everyId): Statement {
  const hasKey = sql`${inProject(ctx)} AND ${range}
    AND EXISTS (SELECT 1 FROM json_each(contacts.data) WHERE key = ${key})`;
  // The numbers of contacts stay the same. One row of zeros is enough to mark the project's contacts as changed.
  const counts = upsertCounts(
    sql`SELECT project_id, 0 AS contacts, 0 AS subscribed FROM contacts WHERE ${hasKey} LIMIT 1`,
  );
  return statement(
    sql`UPDATE contacts SET data = json_patch(data, ${JSON.stringify({ [key]: null })}), version = version + 1,
        updated_at = max(updated_at, ${at.getTime()})
      WHERE ${hasKey}`,
    noRows,
    { before: [counts] },
  );
}
