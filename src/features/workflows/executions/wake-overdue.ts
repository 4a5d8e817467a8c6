import { type SQL, sql } from "drizzle-orm";
import type { MessageOf } from "../../../core/messages";
import { minuteMs } from "../../../core/time";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asFlag, asId, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select, statement } from "../../../db/statement";
import { findProject } from "../../../engine/projects/project";
import { openShard } from "../../../engine/workflows/shards";
import { showAgain } from "../../../engine/workflows/show-again";
import { type Context, forProject, type Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";

/** How late an execution must be to count as overdue. A shard whose alarm works moves its executions sooner. */
const patienceMs = minuteMs;
/** A shard that is still overdue is woken again after this time. */
const againAfterMs = 5 * minuteMs;
/**
 * The maximum number of overdue executions of one project that a tick reads. Each of them wakes its whole shard, so
 * more are not needed.
 */
const rowsPerProject = 50;

const readOverdue = columns({ projectId: asNumber, shard: asNumber });
const readMirrored = columns({ workflowId: asId, id: asId, version: asNumber, shard: asNumber });
const readLast = columns({ last: orNull(asNumber), isFull: asFlag });

const withTime = sql`FROM workflow_executions INDEXED BY ix_workflow_executions_wake WHERE clock = 0 AND wake_at IS NOT NULL`;

/** Selects the keys of a project's overdue executions, the most overdue ones first. */
function overdueOf(project: SQL, { now }: Platform): SQL {
  return sql`SELECT workflow_id, id FROM workflow_executions INDEXED BY ix_workflow_executions_wake
    WHERE clock = 0 AND project_id = ${project} AND wake_at <= ${now.getTime() - patienceMs}
    ORDER BY wake_at LIMIT ${rowsPerProject}`;
}

// Looks at one row per project, however many executions with a wake time the project has.
export const hasOverdueExecutions: IsDue = (platform) =>
  exists(sql`FROM (${hopProjects(withTime)} SELECT 1 FROM hop WHERE hop.project IS NOT NULL
    AND ${isAtHome(sql`hop.project`)} AND EXISTS (${overdueOf(sql`hop.project`, platform)}) LIMIT 1)`);

/** Selects overdue executions of the projects numbered above `after`, ordered by project number. */
function selectOverdue(platform: Platform, after: number): SQL {
  return sql`${hopProjects(withTime, { after, limit: maxSweptRows })}
    SELECT hop.project, e.value->>0, e.value->>1 FROM hop CROSS JOIN json_each((
      SELECT json_group_array(json_array(workflow_id, id)) FROM (${overdueOf(sql`hop.project`, platform)}))) e
    WHERE hop.project IS NOT NULL AND ${isAtHome(sql`hop.project`)} LIMIT ${maxSweptRows}`;
}

/**
 * Wakes the shards of executions that should have moved on but did not. Such a shard lost its alarm, or never copied
 * the executions' new state to D1.
 */
export function wakeOverdue(platform: Platform): Promise<void> {
  const after = new Map<Db, number>();
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const from = after.get(db) ?? 0;
    const batch = openBatch(platform, db);
    const hops = batch.add(
      statement(
        sql`${hopProjects(withTime, { after: from, limit: maxSweptRows })}
          SELECT max(project) AS last, count(*) = ${maxSweptRows} AS is_full FROM hop`,
        readLast,
      ),
    );
    const overdue = batch.add(
      statement(
        sql`UPDATE workflow_executions SET wake_at = ${now + againAfterMs - patienceMs}
          WHERE (project_id, workflow_id, id) IN (${selectOverdue(platform, from)})
          RETURNING project_id, shard`,
        readOverdue,
      ),
    );
    await batch.commit();
    const projects = Map.groupBy(overdue.all, ({ projectId }) => projectId);
    await platform.enqueue(
      [...projects].map(([projectId, rows]) => ({
        message: { type: "workflows.wake", projectId, shards: [...new Set(rows.map(({ shard }) => shard))] },
      })),
    );
    const isFull = overdue.count === maxSweptRows;
    // A project gets one turn per tick, so that a project whose shards do not wake keeps no other project waiting.
    after.set(db, isFull ? Math.max(...projects.keys()) : (hops.one.last ?? from));
    return isFull || hops.one.isFull ? maxSweptRows : 0;
  });
}

/**
 * Runs `workflows.wake`: the shards check whether they have something to do, and bring the rows of overdue executions
 * in D1 up to date. In a project with a test clock, the advances of that clock wake the shards instead.
 */
export async function wakeShardsJob(
  platform: Platform,
  { projectId, shards }: MessageOf<"workflows.wake">,
): Promise<void> {
  const project = await findProject(platform, projectId);
  if (project?.testClock) return;
  await Promise.all(
    shards.map((number) => {
      const { address, shard } = openShard(platform, projectId, number);
      return shard.poke(address);
    }),
  );
  if (project) await showOverdue(forProject(platform, project), shards);
}

/** Has the shards bring overdue rows in D1 up to date, including those that the sweep has just postponed. */
async function showOverdue(ctx: Context, shards: number[]): Promise<void> {
  const until = ctx.realClock().getTime() + againAfterMs;
  const rows = await select(
    ctx.db,
    sql`SELECT workflow_id, id, version, shard FROM workflow_executions INDEXED BY ix_workflow_executions_wake
      WHERE clock = 0 AND ${inProject(ctx)} AND wake_at <= ${until}
        AND shard IN (SELECT value FROM json_each(${JSON.stringify(shards)}))
      ORDER BY wake_at LIMIT ${rowsPerProject}`,
    readMirrored,
  );
  const byShard = Map.groupBy(rows, ({ shard }) => shard);
  await Promise.all(
    [...byShard].map(([shard, some]) => showAgain(ctx, openShard(ctx, ctx.project.number, shard), some)),
  );
}
