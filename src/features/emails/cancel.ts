import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { updateMarked } from "../../engine/campaigns/mark-pages";
import { updateUsageOf } from "../../engine/projects/monthly-usage";
import type { Context } from "../../platform/context";
import { getEmail, type WholeEmail } from "./email";

/**
 * Cancels a waiting email, and gives its quota back to the month. The hand-over and the cancellation each require
 * QUEUED in one statement, so an email is either sent or cancelled. An email whose earlier call had no answer may have
 * been sent already, so it is not cancelled.
 */
export async function cancelEmail(ctx: Context, id: Id): Promise<WholeEmail> {
  const isWaiting = sql`${inProject(ctx, "e")} AND e.id = ${id} AND e.status = 'QUEUED'
    AND e.uncertain_since IS NULL`;
  const now = ctx.now.getTime();
  const batch = openBatch(ctx);
  batch.recognise(sql`EXISTS (${rowById("emails", ctx, id)} AND status = 'CANCELLED' AND ended_at = ${now})`);
  batch.add(updateMarked(ctx, { where: isWaiting }));
  batch.add(updateUsageOf(isWaiting));
  const cancelled = batch.add(
    statement(
      sql`UPDATE emails AS e SET status = 'CANCELLED', error = 'Cancelled by DELETE /emails/{id}', round = NULL,
          next_attempt_at = NULL, due_at = NULL, ended_at = ${now}
        WHERE ${isWaiting} RETURNING id`,
      columns({ id: asId }),
      { again: rowById("emails", ctx, id) },
    ),
  );
  await batch.commit();
  const email = await getEmail(ctx, id);
  if (cancelled.count === 0) throw notCancellable(email);
  return email;
}

export function notCancellable({ status }: Pick<WholeEmail, "status">): Conflict {
  if (status === "QUEUED") {
    return new Conflict("The mail provider may have sent this email already: it did not answer an earlier call.");
  }
  return new Conflict(`This email is ${status}. Only emails that are QUEUED can be cancelled.`);
}
