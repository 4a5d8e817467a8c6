import { sql } from "drizzle-orm";
import { z } from "zod";
import { asId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import type { JobRow } from "../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import type { Context } from "../../platform/context";
import { Doomed, deleteNext, next, rowsPerStatement } from "./delete-statements";

const Input = Doomed.omit({ from: true }).extend({ total: z.number() });
const State = z.object({ deletedCount: z.number(), from: z.string().transform(asId).nullable() });

/** A step of `events.delete`. Only its own batch knows how many it deletes, and counts them before they are gone. */
export async function deleteStep(ctx: Context, row: JobRow): Promise<Step> {
  const { total, ...asked } = Input.parse(row.input);
  const { deletedCount, from } = State.parse(row.state);
  const doomed = { ...asked, from };
  const progress = (100 * (deletedCount + rowsPerStatement)) / total;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const after = sql`(SELECT json_object('deletedCount', (jobs.state->>'deletedCount') + count(*),
      'from', coalesce(max(contact_id), ${from}))
    FROM (${next(ctx, doomed)}))`;
  batch.add(updateState(ctx, row, after, progress));
  const deleted = batch.add(deleteNext(ctx, doomed));
  await batch.commit();
  if (deleted.count > 0) return "goes on";
  const end = openBatch(ctx);
  end.add(guardState(ctx, row));
  end.add(updateEnded(ctx, row, { status: "completed", result: { deletedCount } }));
  await end.commit();
  return "ended";
}
