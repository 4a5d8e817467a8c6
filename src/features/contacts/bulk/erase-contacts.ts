import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import type { Statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { guardState, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { addErasure } from "../erase";
import { type BulkStep, resultOf } from "./bulk-job";
import type { BulkResult } from "./schema";

/**
 * Erases the contacts of one step, as `DELETE /contacts/{id}` does. Throws Stale when one of them has changed
 * meanwhile.
 */
export async function eraseContacts(ctx: Context, row: JobRow, step: BulkStep): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (step.stillMatching) batch.add(step.stillMatching);
  const erasure = await addErasure(ctx, batch, step.ids);
  batch.add(updateProgress(ctx, row, step, erasure.found));
  await batch.commit();
  await erasure.announceRest();
}

function updateProgress(ctx: Context, row: JobRow, step: BulkStep, found: Id[]): Statement {
  const existing = new Set(found);
  const missing = step.ids.filter((id) => !existing.has(id));
  const before = resultOf(row);
  const result: BulkResult = {
    ...before,
    succeeded: before.succeeded + found.length,
    failed: before.failed + missing.length,
  };
  const errors = [
    ...row.errors,
    ...missing.map((contactId) => ({ contactId: publicId(contactId), reason: "not_found" })),
  ];
  return updateState(ctx, row, step.state, step.progress, {
    result: sql`${JSON.stringify(result)}`,
    errors: sql`${JSON.stringify(errors)}`,
  });
}
