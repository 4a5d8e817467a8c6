import { sql } from "drizzle-orm";
import { readId, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";

/**
 * Deletes up to 1,000 stored mails of a project, by the ids that the embedded provider gave them. Rows go first,
 * because a row without a file is an error. The caller knows the ids, so a repeat finds the files of a try that died in
 * between.
 */
export async function forgetMessages(ctx: Context, providerMessageIds: string[]): Promise<void> {
  if (providerMessageIds.length === 0) return;
  const messageIds = providerMessageIds.map(readId);
  const batch = openBatch({ ...ctx, db: ctx.control });
  batch.add(
    statement(
      sql`DELETE FROM outbox_messages WHERE project_id = ${ctx.project.number}
        AND id IN (SELECT value FROM json_each(${JSON.stringify(messageIds)}))`,
    ),
  );
  await batch.commit();
  await ctx.blobs.delete(messageIds.map((id) => blobKey("outbox", ctx.project.id, textOf(id))));
}
