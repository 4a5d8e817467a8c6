import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import type { Context } from "../../platform/context";
import { announceGraceMs, announceRetries } from "./announce";

/**
 * Puts due emails off while their lane is paused. Only those that were still due get a new message, so that a
 * message which came twice does not become two.
 */
export async function postponeEmails(ctx: Context, emailIds: string[], until: number): Promise<void> {
  const postponed = await query(
    ctx.db,
    sql`UPDATE emails SET next_attempt_at = ${until}, next_announce_at = ${until + announceGraceMs}
      WHERE project_id = ${ctx.project.id} AND id IN (SELECT value FROM json_each(${JSON.stringify(emailIds)}))
        AND status = 'QUEUED' AND next_attempt_at <= ${ctx.now.getTime()}
      RETURNING id`,
  );
  await announceRetries(
    ctx,
    postponed.map((row) => ({ emailId: String(row.id), retryAt: until })),
  );
}
