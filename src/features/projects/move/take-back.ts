import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { updateStage } from "../../../db/move-fence";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { announceJob } from "../../../engine/jobs/queue-job";
import { forgetProjects } from "../../../engine/projects/cache";
import { forProject, type Platform, type Project } from "../../../platform/context";
import { auditedMove } from "../audited";
import { getProject } from "../project";

/**
 * Starts to take back a move that has not yet switched databases. From then on, the move can no longer switch, and
 * writes to the project are no longer refused. Throws NotFound, and Conflict when the project is not being moved or has
 * already moved.
 */
export async function takeMoveBack(platform: Platform, id: string): Promise<{ jobId: Id }> {
  const project = await getProject(platform, id);
  const { move } = project;
  if (move === null) throw notMoving();
  if (move.stage === "opening" || move.stage === "leaving") throw hasMoved(project);
  const { jobId, from } = move;
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  recordChange(batch, platform, auditedMove(project));
  batch.add(
    statement(
      sql`UPDATE projects SET move = json_set(move, '$.stage', 'turning back') WHERE number = ${project.number}
        AND move->>'jobId' = ${jobId} AND move->>'stage' = 'copying'`,
    ),
  );
  await batch.commit();
  forgetProjects();
  const after = await getProject(platform, id);
  if (after.shard !== from) throw hasMoved(after);
  if (after.move?.jobId !== jobId) throw notMoving();
  const source = { project, jobId };
  const opening = openBatch(platform, platform.databaseOf(from));
  opening.mayRepeat();
  opening.addAll([updateStage(source, "fenced", "over"), updateStage(source, "capturing", "over")]);
  await opening.commit();
  await announceJob(forProject(platform, after), "project.move", jobId);
  return { jobId };
}

function notMoving(): Conflict {
  return new Conflict("This project is not being moved. Nothing was changed.");
}

function hasMoved({ shard, move }: Project): Conflict {
  return new Conflict(`This project has already moved to ${shard}. Nothing was changed.`, {
    suggestion: `To move it back, send POST with { "database": "${move?.from ?? ""}" }.`,
  });
}
