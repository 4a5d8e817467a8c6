import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { isDeleted } from "../../db/own-rows";
import type { Context } from "../../platform/context";
import { addErasure } from "./erase";

/** `DELETE /contacts/{id}`: erases a person for good. See erase.ts for what is deleted and what stays. */
export async function deleteContact(ctx: Context, id: Id): Promise<void> {
  await untilFresh(async () => {
    const batch = openBatch(ctx);
    const erasure = await addErasure(ctx, batch, [id]);
    if (erasure.found.length === 0) throw new NotFound("contact", id);
    batch.recognise(isDeleted("contacts", ctx, id));
    await batch.commit();
    await erasure.announceRest();
  }, ctx.random);
}
