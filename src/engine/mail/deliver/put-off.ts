import { sql } from "drizzle-orm";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { announceGraceMs } from "../announce";
import { isAsRead, itemsOf } from "./as-read";

/**
 * Postpones emails that could not be composed now. Removes the attempts that were recorded in advance, because the
 * consumer is alive.
 */
export async function putOff(
  ctx: Context,
  emails: EmailRow[],
  { until, isNoted }: { until: number; isNoted: boolean },
) {
  if (emails.length === 0) return;
  const items = itemsOf(emails);
  // The wait passes in real time, but a test clock stands still. In a project with a test clock, only the message is
  // delayed.
  const next = ctx.project.testClock ? ctx.clock().getTime() : until;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`UPDATE emails AS e SET next_attempt_at = ${next}, due_at = ${next + announceGraceMs},
          abandonments = ${isNoted ? sql`max(0, abandonments - 1)` : sql`abandonments`}
        FROM json_each(${items}) r WHERE ${isAsRead(ctx.clock().getTime())}`,
    ),
  );
  await batch.commit();
}
