import { sql } from "drizzle-orm";
import { z } from "zod";
import { asId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import type { JobRow } from "../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import type { JobRuns } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { Deletion, deleteNext, rowsPerStatement, selectNext } from "./delete-statements";

const Input = Deletion.omit({ from: true }).extend({ total: z.number() });
const State = z.object({ deletedCount: z.number(), from: z.string().transform(asId).nullable() });

/** The steps are small: a run of 100 steps takes seconds. */
export const deleteEventsRuns: JobRuns = { stepsPerRun: 100 };

/**
 * Takes one step of `events.delete`. Only the batch itself knows how many events it deletes, so it counts them in SQL
 * before the deletion.
 */
export async function deleteEventsStep(ctx: Context, row: JobRow): Promise<Step> {
  const { total, ...bounds } = Input.parse(row.input);
  const { deletedCount, from } = State.parse(row.state);
  const deletion = { ...bounds, from };
  const progress = (100 * (deletedCount + rowsPerStatement)) / total;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const after = sql`(SELECT json_object('deletedCount', (jobs.state->>'deletedCount') + count(*),
      'from', coalesce(max(contact_id), ${from}))
    FROM (${selectNext(ctx, deletion)}))`;
  batch.add(updateState(ctx, row, after, progress));
  const deleted = batch.add(deleteNext(ctx, deletion));
  await batch.commit();
  if (deleted.count > 0) return "goes on";
  const end = openBatch(ctx);
  end.add(guardState(ctx, row));
  end.add(updateEnded(ctx, row, { status: "completed", result: { deletedCount } }));
  await end.commit();
  return "ended";
}
