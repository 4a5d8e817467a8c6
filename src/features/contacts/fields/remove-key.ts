import { type SQL, sql } from "drizzle-orm";
import { belowAllIds } from "../../../core/ids";
import { noRows, type Statement, statement } from "../../../db/statement";
import { upsertCounts } from "../../../engine/contacts/counts";
import type { Context } from "../../../platform/context";

/** All ids, said so that the contacts are read along their key: of a project alone, the planner walks through their list. */
const everyId = sql`id > ${belowAllIds}`;

/**
 * The statement that takes a key away from the contacts that have it; `changes()` then tells how many had. A patch that
 * is one null removes exactly this key, whatever its name, and leaves every other byte of the data as it is.
 */
export function updateWithoutKey(ctx: Context, key: string, at: Date, range: SQL = everyId): Statement {
  const hasKey = sql`project_id = ${ctx.project.number} AND ${range}
    AND EXISTS (SELECT 1 FROM json_each(contacts.data) WHERE key = ${key})`;
  // Nobody comes or goes: that one of them changes is enough to know.
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
