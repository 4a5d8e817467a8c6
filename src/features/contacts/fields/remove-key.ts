import { type SQL, sql } from "drizzle-orm";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/**
 * The statement that takes a key away from the contacts that have it; `changes()` then tells how many had. A patch that
 * is one null removes exactly this key, whatever its name, and leaves every other byte of the data as it is.
 */
export function updateWithoutKey(ctx: Context, key: string, at: Date, range: SQL = sql`true`): Statement {
  return statement(
    sql`UPDATE contacts INDEXED BY ix_contacts_project_id
      SET data = json_patch(data, ${JSON.stringify({ [key]: null })}), version = version + 1,
        updated_at = max(updated_at, ${at.getTime()})
      WHERE project_id = ${ctx.project.id} AND ${range} AND EXISTS (SELECT 1 FROM json_each(contacts.data) WHERE key = ${key})`,
  );
}
