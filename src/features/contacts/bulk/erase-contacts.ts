import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { untilFresh } from "../../../db/fresh";
import type { Statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { guardState, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { addErasure } from "../erase";
import { type BulkResult, type BulkState, type Part, resultOf } from "./bulk-job";

/** Erases the contacts of one step, as `DELETE /contacts/{id}` does. */
export async function eraseContacts(ctx: Context, row: JobRow, part: Part): Promise<void> {
  await untilFresh(async () => {
    const batch = openBatch(ctx);
    batch.add(guardState(ctx, row));
    const erasure = await addErasure(ctx, batch, part.ids);
    batch.add(updateProgress(ctx, row, part, erasure.found));
    await batch.commit();
    await erasure.announceRest();
  }, ctx.random);
}

function updateProgress(ctx: Context, row: JobRow, part: Part, found: Id[]): Statement {
  const isFound = new Set(found);
  const missing = part.ids.filter((id) => !isFound.has(id));
  const before = resultOf(row);
  const state: BulkState = { done: part.done };
  const result: BulkResult = {
    ...before,
    succeeded: before.succeeded + found.length,
    failed: before.failed + missing.length,
  };
  const errors = [
    ...row.errors,
    ...missing.map((contactId) => ({ contactId: publicId(contactId), reason: "not_found" })),
  ];
  return updateState(ctx, row, state, part.progress, {
    result: sql`${JSON.stringify(result)}`,
    errors: sql`${JSON.stringify(errors)}`,
  });
}
