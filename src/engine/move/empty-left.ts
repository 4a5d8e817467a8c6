import { sql } from "drizzle-orm";
import type { ProjectMove } from "../../core/operating/project-move";
import { openBatch } from "../../db/batch";
import { deleteCaptured, dropCaptures } from "../../db/capture";
import { controlShard } from "../../db/client";
import { deleteNotes, dropMoveTriggers, endMove, OutOfStep } from "../../db/move-fence";
import { movedTables } from "../../db/project-tables";
import { asJson, asNumber, columns } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { openParts } from "../../platform/sweep";
import { deleteNext } from "./clear";

const projectsPerTick = 20;
/**
 * The maximum number of chunks that one tick deletes, for all projects together. They use about a third of the
 * invocation's statements.
 */
const chunksPerTick = 60;
const rowsAtOnce = 1_000;

const readLeft = columns({ number: asNumber, move: asJson<ProjectMove>() });
type Left = ReturnType<typeof readLeft>;

/**
 * Sweeps moved projects, and deletes the rows that they left behind, once no work from before the move can need them.
 */
export async function emptyLeft(platform: Platform): Promise<void> {
  if (!platform.shards.includes(controlShard)) return;
  const left = await select(
    platform.control,
    sql`SELECT number, move FROM projects INDEXED BY ix_projects_move WHERE move IS NOT NULL AND move->>'stage' = 'leaving'
      AND move->>'leavesAt' <= ${platform.now.getTime()} AND deleted_at IS NULL ORDER BY number LIMIT ${projectsPerTick}`,
    readLeft,
  );
  const parts = openParts();
  let chunks = chunksPerTick;
  for (const project of left) {
    await parts.run(async () => {
      while (chunks > 0 && platform.spent.hasLeft()) {
        chunks -= 1;
        if (await emptySome(platform, project)) return;
      }
    });
  }
  parts.end();
}

/** Deletes the next rows. Returns true when nothing is left to do. */
async function emptySome(platform: Platform, { number, move }: Left): Promise<boolean> {
  const db = platform.databaseOf(move.from);
  const source = { project: { number }, jobId: move.jobId, db };
  const deletion = await deleteNext(source, movedTables(move.from));
  const batch = openBatch(platform, db);
  if (deletion === null) {
    batch.addAll([...endMove(source), ...(await dropMoveTriggers(db, number)), ...(await dropCaptures(db, number))]);
    const forgotten = [batch.add(deleteNotes(source, rowsAtOnce)), batch.add(deleteCaptured(source, rowsAtOnce))];
    if (!(await commit(batch))) return true;
    if (forgotten.some(({ count }) => count === rowsAtOnce)) return false;
    await forget(platform, number, move);
    return true;
  }
  batch.addAll(deletion);
  return !(await commit(batch));
}

/** Commits the batch. Returns false when a new move of the project uses this database. */
async function commit(batch: ReturnType<typeof openBatch>): Promise<boolean> {
  try {
    await batch.commit();
    return true;
  } catch (error) {
    if (error instanceof OutOfStep) return false;
    throw error;
  }
}

async function forget(platform: Platform, number: number, { jobId }: ProjectMove): Promise<void> {
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`UPDATE projects SET move = NULL WHERE number = ${number} AND move->>'jobId' = ${jobId} AND move->>'stage' = 'leaving'`,
    ),
  );
  await batch.commit();
}
