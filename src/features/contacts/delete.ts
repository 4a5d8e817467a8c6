import { NotFound } from "../../core/errors";
import { commit, untilFresh } from "../../db/commit";
import type { Context } from "../../platform/context";
import { prepareErasure } from "./erase";

/** `DELETE /contacts/{id}`: forgets a person for good. See erase.ts for what goes and what stays. */
export async function deleteContact(ctx: Context, id: string): Promise<void> {
  const { erasure, results } = await untilFresh(async () => {
    const erasure = await prepareErasure(ctx, [id]);
    if (erasure.found.length === 0) throw new NotFound("contact", id);
    return { erasure, results: await commit(ctx.db, erasure.statements) };
  }, ctx.random);
  await erasure.announce(results);
}
