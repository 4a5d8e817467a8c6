import { sql } from "drizzle-orm";
import type { SuppressionReason } from "../../core/mail/suppression-reasons";
import { inProject } from "../../db/scope";
import { noRows, type Statement, statement } from "../../db/statement";
import { upsertCounts } from "../../engine/contacts/counts";
import { countAdded, guardSuppressions } from "../../engine/contacts/suppression-count";
import type { Context } from "../../platform/context";

export interface NewSuppression {
  email: string;
  reason: SuppressionReason;
  /** The time at which the address was suppressed, in milliseconds since 1970. */
  createdAt: number;
}

/**
 * Adds addresses to the list; `items` contains each address once. An address that is already on it keeps its reason and
 * time. Also removes the end of a contact's snooze, which would otherwise subscribe the contact again. A second run
 * changes nothing.
 */
export function insertSuppressions(ctx: Context, field: string, items: readonly NewSuppression[]): Statement[] {
  const now = ctx.now.getTime();
  const given = sql`json_each(${JSON.stringify(items)}) r`;
  const addresses = sql`SELECT ${ctx.project.number} AS project_id, r.value->>'email' AS email FROM ${given}`;
  const isSnoozed = sql`${inProject(ctx)} AND email IN (SELECT r.value->>'email' FROM ${given})
    AND snoozed_until IS NOT NULL`;
  return [
    guardSuppressions(ctx, field, addresses),
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        SELECT ${ctx.project.number}, r.value->>'email', r.value->>'reason', r.value->>'createdAt' FROM ${given}
        WHERE true ON CONFLICT DO NOTHING`,
      noRows,
      { before: [countAdded(addresses)] },
    ),
    statement(
      sql`UPDATE contacts SET snoozed_until = NULL, version = version + 1, updated_at = max(updated_at, ${now})
        WHERE ${isSnoozed}`,
      noRows,
      // The subscription stays the same, but `updatedAt` changes, which can bring the contact into a segment. The row
      // of zeros marks the project's contacts as changed.
      {
        before: [upsertCounts(sql`SELECT project_id, 0 AS contacts, 0 AS subscribed FROM contacts WHERE ${isSnoozed}`)],
      },
    ),
  ];
}
