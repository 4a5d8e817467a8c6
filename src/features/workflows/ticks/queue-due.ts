import { sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { ticksAround } from "../../../core/workflows/schedule";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asId, asJson, asNumber, columns } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import { upsertJobs } from "../../../engine/jobs/queue-job";
import { type Context, clockOf, type Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";

const workflowsPerPage = 100;

/**
 * The maximum number of jobs that a project may start per second. The jobs of all projects share a few consumers, so
 * this leaves capacity for the other projects.
 */
export const startsPerSecond = 5;

/** How long ticks are kept. A failing job is given up after a day, so older ticks are no longer read. */
const keptForMs = 2 * dayMs;

const readDue = columns({
  projectId: asNumber,
  id: asId,
  triggerConfig: asJson<ScheduleTrigger>(),
  nextTickAt: asNumber,
});
type Due = ReturnType<typeof readDue>;

const dueTicks = (now: Date, clock: number) =>
  sql`FROM workflows INDEXED BY ix_workflows_tick WHERE clock = ${clock} AND next_tick_at <= ${now.getTime()}
    AND ${isAtHome()}`;

export const hasDueTicks: IsDue = ({ now }) => exists(dueTicks(now, 0));

/**
 * Queues, in a sweep, the jobs of scheduled workflows whose time has come. Each tick is a unique row, inserted in the
 * batch that moves the workflow to its next tick, so the tick happens once even if several sweeps overlap. If ticks
 * were missed, only the latest one happens. A workflow has at most one job, under the workflow's own id. A job that is
 * still at an earlier tick continues with the latest one.
 */
export function queueDueTicks(platform: Platform): Promise<void> {
  const started: Started = new Map();
  return sweepDatabases(platform, async (db) => {
    const isMoreThere = await queueDue(platform, db, 0, started);
    return isMoreThere ? maxSweptRows : 0;
  });
}

/** How many jobs each project has started in this sweep, by project number. */
type Started = Map<number, number>;

/** Queues the due ticks of a project with a test clock, by the time of that clock. */
export async function queueDueTicksOf(ctx: Context): Promise<void> {
  await queueDue(ctx, ctx.db, clockOf(ctx), new Map());
}

/**
 * Queues one page of due workflows with a few statements, so that a project with a thousand hourly workflows does not
 * block others. Returns whether there may be more.
 */
async function queueDue(platform: Platform, db: Db, clock: number, started: Started): Promise<boolean> {
  const due = await select(
    db,
    sql`SELECT project_id, id, trigger_config, next_tick_at ${dueTicks(platform.now, clock)}
      ORDER BY next_tick_at LIMIT ${workflowsPerPage}`,
    readDue,
  );
  if (due.length > 0) await queueTicks(platform, db, due, started);
  return due.length === workflowsPerPage;
}

async function queueTicks(platform: Platform, db: Db, due: Due[], started: Started): Promise<void> {
  const items = due.map(({ projectId, id, triggerConfig, nextTickAt }) => {
    const { tick, next } = ticksAround(triggerConfig.cron, nextTickAt, platform.now);
    const input = { workflowId: id, tick };
    return { projectId, id, tick, next, was: nextTickAt, forget: tick - keptForMs, input };
  });
  const moved = sql`json_each(${JSON.stringify(items)}) r CROSS JOIN workflows w
    ON w.project_id = r.value->>'projectId' AND w.id = r.value->>'id' AND w.next_tick_at = r.value->>'was' AND ${isAtHome(sql`w.project_id`)}`;
  const starting = sql`FROM ${moved} WHERE w.enabled AND w.trigger_type = 'SCHEDULE'`;
  const batch = openBatch(platform, db);
  batch.add(
    statement(
      sql`INSERT INTO workflow_ticks (project_id, workflow_id, tick)
        SELECT w.project_id, w.id, r.value->>'tick' ${starting} ON CONFLICT DO NOTHING`,
    ),
  );
  batch.add(
    statement(
      sql`DELETE FROM workflow_ticks WHERE (project_id, workflow_id, tick) IN (
        SELECT t.project_id, t.workflow_id, t.tick FROM ${moved}
        CROSS JOIN workflow_ticks t ON t.project_id = w.project_id AND t.workflow_id = w.id AND t.tick < r.value->>'forget')`,
    ),
  );
  const jobs = batch.add(
    upsertJobs("workflows.start", platform.realClock(), {
      projectId: sql`w.project_id`,
      id: sql`w.id`,
      input: sql`r.value->>'input'`,
      from: starting,
    }),
  );
  batch.add(
    statement(
      sql`UPDATE workflows SET next_tick_at = moved.next
        FROM (SELECT w.project_id, w.id, r.value->>'next' AS next FROM ${moved}) moved
        WHERE workflows.project_id = moved.project_id AND workflows.id = moved.id`,
    ),
  );
  await batch.commit();
  await platform.enqueue(
    jobs.all.map(({ id: jobId, projectId }) => {
      const before = started.get(projectId) ?? 0;
      started.set(projectId, before + 1);
      return {
        message: { type: "workflows.start", projectId, jobId },
        delaySeconds: Math.floor(before / startsPerSecond),
      };
    }),
  );
}
