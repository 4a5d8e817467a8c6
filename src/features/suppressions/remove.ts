import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { normalizeEmail } from "../../core/mail/address";
import { inProject } from "../../db/scope";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";

/** Lets mail go to an address again. It does not subscribe anyone. */
export async function removeSuppression(ctx: Context, written: string): Promise<void> {
  const email = normalizeEmail(written) ?? written;
  const removed = await ctx.db
    .delete(suppressions)
    .where(inProject(suppressions, ctx, eq(suppressions.email, email)))
    .returning({ email: suppressions.email });
  if (removed.length === 0) throw new NotFound("suppression", email);
}
