import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import { readRow } from "../../db/rows";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { AddSuppression } from "./schema";
import type { SuppressionRow } from "./suppression";

/** Puts an address on the list. One that is there keeps its reason and its time. */
export async function addSuppression(ctx: Context, { email, reason }: AddSuppression): Promise<SuppressionRow> {
  const [row] = await query(
    ctx.db,
    sql`INSERT INTO suppressions (project_id, email, reason, created_at)
      VALUES (${ctx.project.id}, ${email}, ${reason ?? "manual"}, ${ctx.now.getTime()})
      ON CONFLICT (project_id, email) DO UPDATE SET email = excluded.email
      RETURNING *`,
  );
  return readRow(suppressions, row);
}
