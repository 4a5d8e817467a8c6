import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../../db/client";
import { asNumber, asText, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { OutboundCalls, Receiver } from "../../outbound/drain";
import { callSome, type Settle } from "./call-some";

/** Hosts of one project that are looked at: it has at most two places, which others of its hosts may have already. */
const hostsOfProject = 4;
/** Projects that are looked at. */
const maxProjects = 500;

const readDue = columns({ projectId: asNumber, host: asText, waitsSince: asNumber });

/**
 * The hosts that are due in a database, of each project the first few. It jumps through the index from project to project,
 * so that ten thousand hosts of one hide nobody.
 */
export async function findDueHosts(db: Db, now: number, limit = hostsOfProject * maxProjects): Promise<Receiver[]> {
  const next = (after: SQL) => sql`(SELECT min(project_id) FROM workflow_hosts INDEXED BY ix_workflow_hosts_due
    WHERE due_at IS NOT NULL AND project_id > ${after})`;
  const due = await select(
    db,
    sql`WITH RECURSIVE calling (project) AS (
        SELECT ${next(sql`0`)} UNION ALL SELECT ${next(sql`project`)} FROM calling WHERE project IS NOT NULL)
      SELECT h.project_id, h.host, max(h.due_at, coalesce(p.called_at, 0)) AS waits_since
      FROM calling
      CROSS JOIN workflow_hosts h ON h.project_id = calling.project AND h.host IN (
        SELECT host FROM workflow_hosts INDEXED BY ix_workflow_hosts_due
        WHERE project_id = calling.project AND due_at <= ${now} ORDER BY due_at LIMIT ${hostsOfProject})
      LEFT JOIN project_counts p ON p.project_id = h.project_id
      ORDER BY waits_since LIMIT ${limit}`,
    readDue,
  );
  return due.map(({ host, ...rest }) => ({ ...rest, name: host }));
}

/**
 * The calls of WEBHOOK steps, as a kind of outbound calls: those of a project to one host have their turns together. A
 * project that has just had a turn waits since then, so it goes behind the others, however long its calls have waited.
 */
export function workflowCalls(settle: Settle): OutboundCalls {
  return {
    kind: "workflow",
    findDue: findDueHosts,
    takeTurn: (ctx, host, isOver) => callSome(ctx, settle, host, isOver),
  };
}
