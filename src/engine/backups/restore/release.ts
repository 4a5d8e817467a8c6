import { sql } from "drizzle-orm";
import { nextTick } from "../../../core/workflows/schedule";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { openBatch } from "../../../db/batch";
import { asId, asJson, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { updateResumed } from "../../jobs/resume";
import { guardState } from "../../jobs/step";
import { heldTables } from "./restored-row";

const rowsPerStatement = 1_000;

/**
 * Lets the sweeps find the next rows of a restored project: rows with a due time follow the real clock again, domains
 * are checked, and open jobs continue. Returns whether there may be more rows.
 */
export async function releaseSome(ctx: Context, row: JobRow): Promise<boolean> {
  if (!ctx.project.testClock && (await releaseMissedTicks(ctx, row))) return true;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const released = ctx.project.testClock
    ? []
    : Object.entries(heldTables).flatMap(([table, due]) =>
        due.map((column) => batch.add(updateClock(ctx, table, column))),
      );
  batch.addAll([deleteRunsOfDrafts(ctx), updateUnchecked(ctx), updateResumed(ctx)]);
  await batch.commit();
  return released.some(({ count }) => count === rowsPerStatement);
}

const schedulesPerStep = 100;

const readSchedule = columns({ id: asId, triggerConfig: asJson<ScheduleTrigger>() });

/**
 * Moves each schedule whose tick is in the past to its next tick. The original project may have started executions at
 * that tick, and a restored project that is enabled before the next sweep would start them again. Returns whether any
 * schedule was moved.
 */
async function releaseMissedTicks(ctx: Context, row: JobRow): Promise<boolean> {
  const now = ctx.realClock();
  const missed = await select(
    ctx.db,
    sql`SELECT id, trigger_config FROM workflows INDEXED BY ix_workflows_tick
      WHERE clock = ${ctx.project.number} AND next_tick_at <= ${now.getTime()} AND ${inProject(ctx)}
      LIMIT ${schedulesPerStep}`,
    readSchedule,
  );
  if (missed.length === 0) return false;
  const moved = missed.map(({ id, triggerConfig }) => ({ id, next: nextTick(triggerConfig.cron, now) }));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(
    statement(
      sql`UPDATE workflows SET clock = 0, next_tick_at = r.value->>'next' FROM json_each(${JSON.stringify(moved)}) r
        WHERE ${inProject(ctx)} AND workflows.id = r.value->>'id'`,
    ),
  );
  await batch.commit();
  return true;
}

function updateClock(ctx: Context, table: string, due: string): Statement<unknown> {
  const { number } = ctx.project;
  const rows = sql.identifier(table);
  return statement(
    sql`UPDATE ${rows} SET clock = 0 WHERE ${inProject(ctx)} AND id IN (SELECT id FROM ${rows}
        WHERE clock = ${number} AND ${sql.identifier(due)} IS NOT NULL AND ${inProject(ctx)} LIMIT ${rowsPerStatement})
      RETURNING 1`,
    columns({}),
  );
}

/** Deletes the runs of drafts. A restore turns scheduled campaigns into drafts, which have no run. */
function deleteRunsOfDrafts(ctx: Context): Statement {
  return statement(
    sql`DELETE FROM campaign_runs WHERE ${inProject(ctx)} AND EXISTS (SELECT 1 FROM campaigns c
      WHERE c.project_id = campaign_runs.project_id AND c.id = campaign_runs.id AND c.status = 'DRAFT')`,
  );
}

function updateUnchecked(ctx: Context): Statement {
  return statement(
    sql`UPDATE domains SET next_check_at = ${ctx.realClock().getTime()}
      WHERE ${inProject(ctx)} AND status = 'PENDING' AND next_check_at IS NULL`,
  );
}
