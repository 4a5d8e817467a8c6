import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { AddSuppression } from "./schema";
import type { SuppressionRow } from "./suppression";

/**
 * Puts an address on the list. One that is there keeps its reason and its time. A contact that is snoozed would come
 * back by itself, and no more does: the end of its snooze is forgotten.
 */
export async function addSuppression(ctx: Context, { email, reason }: AddSuppression): Promise<SuppressionRow> {
  const now = ctx.now.getTime();
  const batch = openBatch(ctx);
  const listed = batch.add(
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        VALUES (${ctx.project.id}, ${email}, ${reason ?? "manual"}, ${now})
        ON CONFLICT (project_id, email) DO UPDATE SET email = excluded.email
        RETURNING *`,
      wholeRow(suppressions),
    ),
  );
  batch.add(
    // A snoozed contact is not subscribed. To say so again moves the version in `contact_counts`: as its updatedAt moves,
    // it may come into a segment.
    statement(
      sql`UPDATE contacts SET subscribed = false, snoozed_until = NULL, version = version + 1,
          updated_at = max(updated_at, ${now})
        WHERE project_id = ${ctx.project.id} AND email = ${email} AND snoozed_until IS NOT NULL`,
    ),
  );
  await batch.commit();
  return listed.one;
}
