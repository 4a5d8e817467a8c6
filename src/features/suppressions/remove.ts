import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { normalizeEmail } from "../../core/mail/address";
import { commit, statement } from "../../db/commit";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";

/**
 * Lets mail go to an address again. It does not subscribe anyone. An address whose contact was erased is on no list, but
 * it is recognised here.
 */
export async function removeSuppression(ctx: Context, written: string): Promise<void> {
  const email = normalizeEmail(written) ?? written;
  const isErased = sql`project_id = ${ctx.project.id} AND hash = ${addressHash(ctx.project, email)}`;
  const [listed, remembered] = await commit(ctx.db, [
    statement(
      ctx.db,
      sql`DELETE FROM suppressions WHERE project_id = ${ctx.project.id} AND email = ${email} RETURNING email`,
    ),
    statement(
      ctx.db,
      sql`UPDATE erased_addresses SET suppressed_reason = NULL
        WHERE ${isErased} AND suppressed_reason IS NOT NULL RETURNING hash`,
    ),
    statement(ctx.db, sql`DELETE FROM erased_addresses WHERE ${isErased} AND opted_out_at IS NULL`),
  ]);
  if (listed?.length === 0 && remembered?.length === 0) throw new NotFound("suppression", email);
}
