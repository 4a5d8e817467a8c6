import { and, eq, isNull, sql } from "drizzle-orm";
import type { StoredJob } from "../../core/messages";
import { minuteMs, secondMs } from "../../core/time";
import { OutOfStep } from "../../db/move-fence";
import { movedTables } from "../../db/project-tables";
import { asFlag, columns } from "../../db/rows";
import { selectOne } from "../../db/statement";
import { type JobRow, projects } from "../../db/tables";
import { type Context, forProject, type Platform, type Project } from "../../platform/context";
import { MovedOn, type Step } from "../jobs/step";
import { runSteps } from "../jobs/work";
import { cacheMs } from "../projects/cache";
import { check } from "./check";
import { capture, clear, shapeOf } from "./clear";
import { copy } from "./copy";
import { notesAtOnce, replay } from "./replay";
import { requeueMove, saveState } from "./save-state";
import { Different, type Move, type MoveState } from "./state";
import { endMoved, open, switchOver } from "./switch";
import { endNotMoved, turnBack } from "./turn-back";

const stepsPerRun = 100;
/**
 * When fewer changed rows than this are left, the move raises the fence, which stops all writes, and then copies them.
 */
const fewNotes = notesAtOnce / 5;
/** A call that starts a move writes the project's row at most this many milliseconds after the job's row. */
const startMs = minuteMs;
/** The age of a move, in milliseconds, after which no isolate still caches the project from before the move. */
const knownAfterMs = cacheMs + 10 * secondMs;

/**
 * `project.move`: moves a project to another database. The job's row is in that database, so one batch writes both the
 * rows that a step copies and the job's state. See docs/decisions/0050-a-project-moves-behind-a-fence.md.
 */
export async function moveProject(platform: Platform, job: StoredJob): Promise<void> {
  const project = await readProject(platform, job.projectId);
  // The project is being erased, which deletes its rows in all databases.
  if (project === null) return;
  const shard = await findShard(platform, project, job);
  if (shard === null) return;
  const ctx: Context = { ...forProject(platform, project), db: platform.databaseOf(shard) };
  await runSteps(ctx, job, moveStep, { stepsPerRun, release: null });
}

async function readProject({ control }: Platform, number: number): Promise<Project | null> {
  const isIt = and(eq(projects.number, number), isNull(projects.deletedAt));
  return (await control.select().from(projects).where(isIt).get()) ?? null;
}

/**
 * Finds the database with the job's row. Nearly always, that is the move's target, or the database in which the project
 * lives.
 */
async function findShard(
  platform: Platform,
  { move, shard }: Project,
  { projectId, jobId }: StoredJob,
): Promise<string | null> {
  for (const each of new Set([...(move ? [move.to] : []), shard, ...platform.shards])) {
    const { isThere } = await selectOne(
      platform.databaseOf(each),
      sql`SELECT EXISTS (SELECT 1 FROM jobs WHERE project_id = ${projectId} AND id = ${jobId}) AS is_there`,
      columns({ isThere: asFlag }),
    );
    if (isThere) return each;
  }
  return null;
}

/** Makes one step, after asking the control database whether the move is still wanted. */
async function moveStep(ctx: Context, row: JobRow): Promise<Step> {
  const { from, to } = row.input as { from: string; to: string };
  // The cast is safe, because no other file writes the state of a move.
  const state = row.state as unknown as MoveState;
  const move: Move = { ctx, row, state, from, to, tables: movedTables(from) };
  const project = await readProject(ctx, ctx.project.number);
  if (project === null) return "waits";
  const own = project.move?.jobId === row.id ? project.move : null;
  if (own === null) {
    const isStarting = state.phase === "clear" && row.createdAt > ctx.realClock().getTime() - startMs;
    if (isStarting) return requeueMove(move, startMs);
    // The project's row no longer names this move. If the last phase was reached, the project has moved, and a later
    // move may have begun since.
    return state.phase === "fence" ? endMoved(move) : endNotMoved(move);
  }
  if (own.stage === "opening") return open(move, own);
  if (own.stage === "leaving") return endMoved(move);
  if (own.stage === "turning back" || state.phase === "back") return turnBack(move);
  if (state.shape !== "" && state.shape !== shapeOf(move.tables)) {
    return turnBack(
      await saveState(move, {
        ...{ phase: "back", index: 0, after: null },
        reason: "A new version with other tables was deployed while the project moved. Start the move again.",
      }),
    );
  }
  try {
    return await advance(move, own.startedAt + knownAfterMs);
  } catch (error) {
    if (error instanceof Different) {
      ctx.log("error", "A move turns back", { reason: error.message });
      await saveState(error.move, {
        phase: "back",
        index: 0,
        after: null,
        reason: `${error.message} The project stayed where it was.`,
      });
      return "goes on";
    }
    // Another run, a later move or the operator was faster.
    if (error instanceof OutOfStep) throw new MovedOn();
    throw error;
  }
}

async function advance(move: Move, mayFenceAt: number): Promise<Step> {
  switch (move.state.phase) {
    case "clear":
      await clear(move);
      return "goes on";
    case "capture":
      await capture(move);
      return "goes on";
    case "copy":
      await copy(move);
      return "goes on";
    case "check":
      await check(move);
      return "goes on";
    case "replay":
      return replayMost(move, mayFenceAt);
    default:
      return switchOver(move);
  }
}

/**
 * Copies changed rows until few are left. The next phase then compares all rows or, if that is done, raises the fence.
 */
async function replayMost(before: Move, mayFenceAt: number): Promise<Step> {
  const { move, found } = await replay(before);
  if (found >= fewNotes) return "goes on";
  if (!move.state.isChecked) {
    await saveState(move, { phase: "check", index: 0, after: null });
    return "goes on";
  }
  const waitMs = mayFenceAt - move.ctx.realClock().getTime();
  if (waitMs > 0) return requeueMove(move, waitMs);
  // The switch is left to a new run. A new run has the full number of statements of an invocation, so that the switch
  // cannot run out of statements halfway.
  return requeueMove(await saveState(move, { phase: "fence" }), 0);
}
