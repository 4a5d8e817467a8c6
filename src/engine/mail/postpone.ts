import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { announceGraceMs, announceRetries } from "./announce";

/**
 * Puts due emails off while their lane is paused. Only those that were still due get a new message, so that a
 * message which came twice does not become two.
 */
export async function postponeEmails(ctx: Context, emailIds: string[], until: number): Promise<void> {
  const batch = openBatch(ctx);
  const postponed = batch.add(
    statement(
      sql`UPDATE emails SET next_attempt_at = ${until}, next_announce_at = ${until + announceGraceMs}
        WHERE project_id = ${ctx.project.id} AND id IN (SELECT value FROM json_each(${JSON.stringify(emailIds)}))
          AND status = 'QUEUED' AND next_attempt_at <= ${ctx.now.getTime()}
        RETURNING id`,
      columns({ id: asText }),
    ),
  );
  await batch.commit();
  await announceRetries(
    ctx,
    postponed.all.map(({ id }) => ({ emailId: id, retryAt: until })),
  );
}
