import { sql } from "drizzle-orm";
import { commit, untilFresh } from "../../../db/commit";
import type { JobRow } from "../../../db/tables";
import { goOn, stillAt } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";
import { prepareErasure } from "../erase";
import { type BulkResult, type BulkState, type Part, resultOf } from "./bulk-job";

/** Erases a part of them, as `DELETE /contacts/{id}` does. */
export async function eraseContacts(ctx: Context, row: JobRow, part: Part): Promise<void> {
  const { erasure, results } = await untilFresh(async () => {
    const erasure = await prepareErasure(ctx, part.ids);
    const statements = [stillAt(ctx, row), tellProgress(ctx, row, part, erasure.found), ...erasure.statements];
    return { erasure, results: await commit(ctx.db, statements) };
  }, ctx.random);
  await erasure.announce(results);
}

function tellProgress(ctx: Context, row: JobRow, part: Part, found: string[]): D1PreparedStatement {
  const isFound = new Set(found);
  const missing = part.ids.filter((id) => !isFound.has(id));
  const before = resultOf(row);
  const state: BulkState = { done: part.done };
  const result: BulkResult = {
    ...before,
    succeeded: before.succeeded + found.length,
    failed: before.failed + missing.length,
  };
  const errors = [...row.errors, ...missing.map((contactId) => ({ contactId, reason: "not_found" }))];
  return goOn(ctx, row, state, part.progress, {
    result: sql`${JSON.stringify(result)}`,
    errors: sql`${JSON.stringify(errors)}`,
  });
}
