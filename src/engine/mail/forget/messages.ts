import { sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { type Id, readId, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { blobKey } from "../../../platform/blobs";
import type { Context } from "../../../platform/context";

/** An email of which the outbox may have copies. */
interface KeptEmail {
  id: Id;
  providerMessageId: string | null;
}

/**
 * Deletes the outbox's copies of up to 1,000 emails of a project. An email can have an accepted copy, a copy that was
 * not accepted (stored under the email's own id), and copies whose acceptance was never recorded. No index finds the
 * last kind, so all copies of the project are read. That is acceptable, because an installation that sends to real
 * people uses another provider.
 *
 * Rows are deleted first, because a row without a file is an error. The caller knows the ids of most copies, so a
 * repeat finds the files that a crashed attempt left behind. The orphan sweep finds the other files.
 */
export async function forgetMessages(ctx: Context, emails: KeptEmail[]): Promise<void> {
  if (emails.length === 0) return;
  const emailIds = emails.map(({ id }) => id);
  const batch = openBatch(ctx, ctx.control);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM outbox_messages WHERE ${inProject(ctx)}
        AND email_id IN (SELECT value FROM json_each(${JSON.stringify(emailIds)})) RETURNING id`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  const known = emails.flatMap(({ providerMessageId }) =>
    providerMessageId === null ? [] : readId(providerMessageId),
  );
  const copies = new Set([...deleted.all.map(({ id }) => id), ...known, ...emailIds]);
  const keys = [...copies].map((id) => blobKey("outbox", ctx.project.id, textOf(id)));
  for (const some of chunksOf(keys, keysPerCall)) await ctx.blobs.delete(some);
}

/** R2 deletes at most this many files in one call. */
const keysPerCall = 1_000;
