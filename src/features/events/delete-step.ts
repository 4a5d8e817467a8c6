import { sql } from "drizzle-orm";
import { z } from "zod";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import { guardState, type Step, updateEnded } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { Doomed, deleteOldest, oldest, rowsPerStatement } from "./delete-statements";

const Input = Doomed.extend({ total: z.number() });
const State = z.object({ deletedCount: z.number() });

/** A step of `events.delete`. Only its own batch knows how many it deletes, and counts them before they are gone. */
export async function deleteStep(ctx: Context, row: JobRow): Promise<Step> {
  const { total, ...doomed } = Input.parse(row.input);
  const { deletedCount } = State.parse(row.state);
  const progress = Math.min(99, Math.floor((100 * (deletedCount + rowsPerStatement)) / total));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(
    statement(
      sql`UPDATE jobs SET progress = ${progress},
          state = json_object('deletedCount', (state->>'deletedCount') + (SELECT count(*) FROM (${oldest(ctx, doomed)})))
        WHERE project_id = ${ctx.project.id} AND id = ${row.id}`,
    ),
  );
  const deleted = batch.add(deleteOldest(ctx, doomed));
  await batch.commit();
  if (deleted.count > 0) return "goes on";
  const end = openBatch(ctx);
  end.add(guardState(ctx, row));
  end.add(updateEnded(ctx, row, { status: "completed", result: { deletedCount } }));
  await end.commit();
  return "ended";
}
