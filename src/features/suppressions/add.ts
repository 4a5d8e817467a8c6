import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { noRows, statement } from "../../db/statement";
import { suppressions } from "../../db/tables";
import { upsertCounts } from "../../engine/contacts/counts";
import { countAdded, guardSuppressions } from "../../engine/contacts/suppression-count";
import type { Context } from "../../platform/context";
import type { AddSuppression } from "./schema";
import type { SuppressionRow } from "./suppression";

/**
 * Adds an address to the list. An address that is listed already keeps its reason and time. A snoozed contact loses the
 * end of its snooze, because it would be subscribed again.
 */
export async function addSuppression(ctx: Context, { email, reason }: AddSuppression): Promise<SuppressionRow> {
  const now = ctx.now.getTime();
  const isSnoozed = sql`project_id = ${ctx.project.number} AND email = ${email} AND snoozed_until IS NOT NULL`;
  const batch = openBatch(ctx);
  // A second run finds the address listed, and no snooze.
  batch.mayRepeat();
  batch.add(guardSuppressions(ctx, email));
  batch.add(
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        VALUES (${ctx.project.number}, ${email}, ${reason ?? "manual"}, ${now})
        ON CONFLICT DO NOTHING`,
      noRows,
      { before: [countAdded(sql`SELECT ${ctx.project.number} AS project_id, ${email} AS email`)] },
    ),
  );
  const listed = batch.add(
    statement(
      sql`SELECT * FROM suppressions WHERE project_id = ${ctx.project.number} AND email = ${email}`,
      wholeRow(suppressions),
    ),
  );
  batch.add(
    statement(
      sql`UPDATE contacts SET snoozed_until = NULL, version = version + 1, updated_at = max(updated_at, ${now})
        WHERE ${isSnoozed}`,
      noRows,
      // Nobody's subscription changes, but the contact's updatedAt does, so it may enter a segment.
      {
        before: [upsertCounts(sql`SELECT project_id, 0 AS contacts, 0 AS subscribed FROM contacts WHERE ${isSnoozed}`)],
      },
    ),
  );
  await batch.commit();
  return listed.one;
}
