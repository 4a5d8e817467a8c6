import { sql } from "drizzle-orm";
import type { MessageOf } from "../../../core/messages";
import { minuteMs } from "../../../core/time";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
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

const overdueExecutions = (now: Date) => sql`FROM workflow_executions INDEXED BY ix_workflow_executions_due
  WHERE clock = 0 AND wake_at <= ${now.getTime() - patienceMs} AND ${isAtHome()}`;

export const hasOverdueExecutions: IsDue = ({ now }) => exists(overdueExecutions(now));

/**
 * Sweeps executions that should have moved on, because their shard's alarm was lost, or because it never mirrored their
 * state.
 */
export function wakeOverdue(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    const overdue = batch.add(
      statement(
        sql`UPDATE workflow_executions SET wake_at = ${now + againAfterMs - patienceMs}
          WHERE (project_id, workflow_id, id) IN (SELECT project_id, workflow_id, id ${overdueExecutions(platform.now)}
            ORDER BY wake_at LIMIT ${maxSweptRows})
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
    return overdue.count;
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
