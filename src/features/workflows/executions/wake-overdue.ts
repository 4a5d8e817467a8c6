import { type SQL, sql } from "drizzle-orm";
import type { MessageOf } from "../../../core/messages";
import { minuteMs } from "../../../core/time";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asFlag, asNumber, columns, orNull } from "../../../db/rows";
import { statement } from "../../../db/statement";
import { findProject } from "../../../engine/projects/project";
import { openShard } from "../../../engine/workflows/shards";
import type { Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";

/** A shard whose alarm works has moved its executions within this time. */
const patienceMs = minuteMs;
/** A shard that is still overdue is woken again after this time. */
const againAfterMs = 5 * minuteMs;

const readOverdue = columns({ projectId: asNumber, shard: asNumber });
const readLast = columns({ last: orNull(asNumber), isFull: asFlag });

const withTime = sql`FROM workflow_executions INDEXED BY ix_workflow_executions_wake WHERE clock = 0 AND wake_at IS NOT NULL`;

/** Selects overdue executions. Jumps through the index from project to project, however many executions each has. */
function selectOverdue({ now }: Platform, { after = 0, limit }: { after?: number; limit: number }): SQL {
  return sql`${hopProjects(withTime, { after, limit: maxSweptRows })}
    SELECT e.project_id, e.workflow_id, e.id FROM hop
    CROSS JOIN workflow_executions e INDEXED BY ix_workflow_executions_wake
      ON e.clock = 0 AND e.project_id = hop.project AND e.wake_at <= ${now.getTime() - patienceMs}
    WHERE hop.project IS NOT NULL AND ${isAtHome(sql`hop.project`)} LIMIT ${limit}`;
}

export const hasOverdueExecutions: IsDue = (platform) => exists(sql`FROM (${selectOverdue(platform, { limit: 1 })})`);

/**
 * Sweeps executions that should have moved on, because their shard's alarm was lost, or because it never mirrored their
 * state.
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
          WHERE (project_id, workflow_id, id) IN (${selectOverdue(platform, { after: from, limit: maxSweptRows })})
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
    if (overdue.count === maxSweptRows) return maxSweptRows;
    after.set(db, hops.one.last ?? from);
    return hops.one.isFull ? maxSweptRows : 0;
  });
}

/**
 * Runs `workflows.wake`: the shards check what they have to do. Shards of a project with a test clock are woken by its
 * advances instead.
 */
export async function wakeShardsJob(
  platform: Platform,
  { projectId, shards }: MessageOf<"workflows.wake">,
): Promise<void> {
  if ((await findProject(platform, projectId))?.testClock) return;
  await Promise.all(
    shards.map((number) => {
      const { address, shard } = openShard(platform, projectId, number);
      return shard.poke(address);
    }),
  );
}
