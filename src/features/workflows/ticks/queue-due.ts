import { sql } from "drizzle-orm";
import { newId } from "../../../core/ids";
import { dayMs } from "../../../core/time";
import { nextTick } from "../../../core/workflows/schedule";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asId, asJson, asNumber, columns } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import { upsertJobs } from "../../../engine/jobs/queue-job";
import { type Context, clockOf, type Platform } from "../../../platform/context";
import { sweepDatabases } from "../../../platform/sweep";

const workflowsPerRound = 100;

/** A tick is known for much longer than its job may take. */
const keptForMs = 30 * dayMs;

const readDue = columns({
  projectId: asNumber,
  id: asId,
  triggerConfig: asJson<ScheduleTrigger>(),
  nextTickAt: asNumber,
});
type Due = ReturnType<typeof readDue>;

/**
 * The sweep that finds scheduled workflows whose time has come. The tick is a row of its own, unique, in the batch that
 * moves the workflow on: so it comes once, whoever sweeps beside us. Of ticks that were missed only the latest comes.
 */
export function queueDueTicks(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    await queueDue(platform, db, 0);
    return 0;
  });
}

/** The same for a project with its own clock, at its time. */
export async function queueDueTicksOf(ctx: Context): Promise<void> {
  await queueDue(ctx, ctx.db, clockOf(ctx));
}

async function queueDue(platform: Platform, db: Db, clock: number): Promise<void> {
  const now = platform.now.getTime();
  const due = await select(
    db,
    sql`SELECT project_id, id, trigger_config, next_tick_at FROM workflows INDEXED BY ix_workflows_tick
      WHERE clock = ${clock} AND next_tick_at <= ${now} ORDER BY next_tick_at LIMIT ${workflowsPerRound}`,
    readDue,
  );
  for (const one of due) await queueTick(platform, db, one);
}

async function queueTick(platform: Platform, db: Db, { projectId, id, triggerConfig, nextTickAt }: Due): Promise<void> {
  const { tick, next } = ticksAround(triggerConfig.cron, nextTickAt, platform.now);
  const batch = openBatch({ ...platform, db });
  const inserted = sql`(SELECT 1 FROM workflows w WHERE w.project_id = ${projectId} AND w.id = ${id}
    AND w.next_tick_at = ${nextTickAt} AND w.enabled AND w.trigger_type = 'SCHEDULE')`;
  batch.add(
    statement(
      sql`INSERT INTO workflow_ticks (project_id, workflow_id, tick)
        SELECT ${projectId}, ${id}, ${tick} WHERE EXISTS ${inserted} ON CONFLICT DO NOTHING`,
    ),
  );
  batch.add(
    statement(
      sql`DELETE FROM workflow_ticks WHERE project_id = ${projectId} AND workflow_id = ${id} AND tick < ${tick - keptForMs}`,
    ),
  );
  const input = JSON.stringify({ workflowId: id, tick });
  const jobs = batch.add(
    upsertJobs("workflows.start", platform.realClock(), {
      projectId: sql`${projectId}`,
      id: sql`${newId()}`,
      input: sql`${input}`,
      from: sql`WHERE EXISTS ${inserted}`,
    }),
  );
  batch.add(
    statement(
      sql`UPDATE workflows SET next_tick_at = ${next} WHERE project_id = ${projectId} AND id = ${id}
        AND next_tick_at = ${nextTickAt}`,
    ),
  );
  await batch.commit();
  await platform.enqueue(jobs.all.map(({ id: jobId }) => ({ message: { type: "workflows.start", projectId, jobId } })));
}

/** The latest tick that has come, and the one after it. */
function ticksAround(cron: string, due: number, now: Date): { tick: number; next: number | null } {
  let tick = due;
  let next = nextTick(cron, new Date(due));
  // At most some ticks of a long outage: further back, the last one is looked for from shortly before now.
  for (let count = 0; next !== null && next <= now.getTime(); count++) {
    tick = next;
    next = nextTick(cron, new Date(next));
    if (count >= maxMissed) return { tick, next: nextTick(cron, now) };
  }
  return { tick, next };
}

/** Ticks are five minutes apart: more than a week. */
const maxMissed = 2_500;
