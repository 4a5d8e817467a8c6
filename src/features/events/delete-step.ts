import { sql } from "drizzle-orm";
import { z } from "zod";
import { commit, statement } from "../../db/commit";
import type { JobRow } from "../../db/tables";
import { endJob, type Step, stillAt } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { Doomed, deleteOldest, oldest, rowsPerStatement } from "./delete-statements";

const Input = Doomed.extend({ total: z.number() });
const State = z.object({ deletedCount: z.number() });

/** A step of `events.delete`. Only its own batch knows how many it deletes, and counts them before they are gone. */
export async function deleteStep(ctx: Context, row: JobRow): Promise<Step> {
  const { total, ...doomed } = Input.parse(row.input);
  const { deletedCount } = State.parse(row.state);
  const progress = Math.min(99, Math.floor((100 * (deletedCount + rowsPerStatement)) / total));
  const [, , deleted = []] = await commit(ctx.db, [
    stillAt(ctx, row),
    statement(
      ctx.db,
      sql`UPDATE jobs SET progress = ${progress},
          state = json_object('deletedCount', (state->>'deletedCount') + (SELECT count(*) FROM (${oldest(ctx, doomed)})))
        WHERE project_id = ${ctx.project.id} AND id = ${row.id}`,
    ),
    deleteOldest(ctx, doomed),
  ]);
  if (deleted.length > 0) return "goes on";
  await commit(ctx.db, [stillAt(ctx, row), endJob(ctx, row, { status: "completed", result: { deletedCount } })]);
  return "ended";
}
