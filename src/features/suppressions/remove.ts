import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { normalizeEmail } from "../../core/mail/address";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { countRemoved } from "../../engine/contacts/suppression-count";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";

/**
 * Removes an address from the list, without subscribing anyone. For an erased contact, only a hash of the address is
 * stored, so the suppression that is stored with the hash is cleared too.
 */
export async function removeSuppression(ctx: Context, written: string): Promise<void> {
  const email = normalizeEmail(written) ?? written;
  const isErased = sql`${inProject(ctx)} AND hash = ${addressHash(ctx.project, email)}`;
  const batch = openBatch(ctx);
  const listed = batch.add(
    statement(
      sql`DELETE FROM suppressions WHERE ${inProject(ctx)} AND email = ${email} RETURNING email`,
      columns({ email: asText }),
      { before: [countRemoved(sql`${inProject(ctx)} AND email = ${email}`)] },
    ),
  );
  const remembered = batch.add(
    statement(
      sql`UPDATE erased_addresses SET suppressed_reason = NULL
        WHERE ${isErased} AND suppressed_reason IS NOT NULL RETURNING hash`,
      columns({ hash: asText }),
    ),
  );
  batch.add(statement(sql`DELETE FROM erased_addresses WHERE ${isErased} AND opted_out_at IS NULL`));
  await batch.commit();
  if (listed.count === 0 && remembered.count === 0) throw new NotFound("suppression", email);
}
