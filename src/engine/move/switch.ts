import { type SQL, sql } from "drizzle-orm";
import type { ProjectMove } from "../../core/operating/project-move";
import { hourMs, secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { dropMoveTriggers, guardStage, updateStage } from "../../db/move-fence";
import { columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { guardState, type Step, updateEnded } from "../jobs/step";
import { forgetProjects } from "../projects/cache";
import { replay } from "./replay";
import { saveState } from "./save-state";
import { type Move, sourceOf, targetOf } from "./state";

/**
 * The maximum number of rounds in which changed rows are copied while the fence is up. No row changes then, so few are
 * needed.
 */
const maxRounds = 10;
/** The maximum time that the rounds take, in milliseconds. The limit allows for a slow database. */
const maxFencedMs = 5 * secondMs;

/**
 * How long the old rows are kept behind the fence after the switch, in milliseconds. All work that began before the
 * switch has ended by then: a queue consumer can take a quarter of an hour.
 */
const leftMs = hourMs;

/**
 * Raises the fence in the old database (triggers that refuse writes), copies the last changes, and switches the project
 * to the new one. If that takes too long or fails, lowers the fence again, so that the move tries again later.
 *
 * Two runs may do this at once, and each may stop anywhere. The project's row names the run that holds the fence, and
 * only that run can switch. Before a run lowers the fence, it withdraws the right to switch from all runs.
 */
export async function switchOver(before: Move): Promise<Step> {
  let move = await saveState(before, {});
  const fence = move.state.steps;
  const { ctx } = move;
  const now = () => ctx.realClock().getTime();
  const mayRaise = await changeMove(
    move,
    sql`json_set(move, '$.fence', CAST(${fence} AS INTEGER), '$.fencedAt', CAST(${now()} AS INTEGER))`,
  );
  // The operator has asked to take the move back.
  if (!mayRaise) return "goes on";
  const raised = now();
  await raise(move);
  try {
    for (let round = 0; ; round++) {
      if (round === maxRounds || now() - raised > maxFencedMs) {
        await lower(move);
        await saveState(move, { phase: "replay" });
        return "goes on";
      }
      const { move: next, found } = await replay(move);
      move = next;
      if (found === 0) break;
    }
    await changeMove(move, sql`json_set(move, '$.stage', 'opening')`, {
      set: sql`shard = ${move.to}, `,
      onlyIf: sql`shard = ${move.from} AND move->>'fence' = ${fence}`,
    });
  } catch (error) {
    await lower(move);
    throw error;
  }
  forgetProjects();
  return "goes on";
}

async function raise(move: Move): Promise<void> {
  const source = sourceOf(move);
  const batch = openBatch(move.ctx, source.db);
  batch.mayRepeat();
  batch.addAll([updateStage(source, "capturing", "fenced"), guardStage(source, "fenced")]);
  await batch.commit();
}

/** Lowers the fence, unless the project has switched. Afterwards, no run can switch without raising the fence again. */
async function lower(move: Move): Promise<void> {
  if (!(await changeMove(move, sql`json_set(move, '$.fence', NULL, '$.fencedAt', NULL)`))) return;
  const source = sourceOf(move);
  const batch = openBatch(move.ctx, source.db);
  batch.mayRepeat();
  batch.add(updateStage(source, "fenced", "capturing"));
  await batch.commit();
}

/** Changes the move in the project's row while the move is copying. Returns false if the move is no longer copying. */
async function changeMove(
  { ctx, row }: Move,
  next: SQL,
  { set = sql``, onlyIf = sql`true` }: { set?: SQL; onlyIf?: SQL } = {},
): Promise<boolean> {
  const batch = openBatch(ctx, ctx.control);
  batch.mayRepeat();
  const changed = batch.add(
    statement(
      sql`UPDATE projects SET ${set}move = ${next} WHERE number = ${ctx.project.number} AND deleted_at IS NULL
        AND move->>'jobId' = ${row.id} AND move->>'stage' = 'copying' AND ${onlyIf} RETURNING 1`,
      columns({}),
    ),
  );
  await batch.commit();
  return changed.count > 0;
}

/** Opens the new database for writes, after the switch. */
export async function open(move: Move, { fencedAt }: ProjectMove): Promise<Step> {
  const target = targetOf(move);
  const { ctx, row, state } = move;
  const opened = await saveState(move, {}, [
    updateStage(target, "fenced", "over"),
    guardStage(target, "over"),
    ...(await dropMoveTriggers(target.db, target.project.number)),
  ]);
  const now = ctx.realClock().getTime();
  const noting = openBatch(ctx, ctx.control);
  noting.mayRepeat();
  noting.add(
    statement(
      sql`UPDATE projects SET move = json_set(move, '$.stage', 'leaving', '$.leavesAt', CAST(${now + leftMs} AS INTEGER))
        WHERE number = ${ctx.project.number} AND move->>'jobId' = ${row.id} AND move->>'stage' = 'opening'`,
    ),
  );
  await noting.commit();
  forgetProjects();
  return endMoved(opened, {
    database: move.to,
    rows: state.copied,
    compared: state.compared,
    refusedMs: now - (fencedAt ?? now),
  });
}

/** Ends the job of a project that has moved. */
export async function endMoved(
  { ctx, row, to, state }: Move,
  result = { database: to, rows: state.copied, compared: state.compared, refusedMs: 0 },
): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result }));
  await batch.commit();
  return "ended";
}
