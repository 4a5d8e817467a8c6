import { sql } from "drizzle-orm";
import { isAtHome } from "../../../db/at-home";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asNumber, asText, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Receiver } from "../../outbound/drain";

/**
 * The maximum number of hosts that are read for each project. At most two hosts of a project have a turn at a time, so
 * four hosts are enough to find one without a turn.
 */
const hostsOfProject = 4;
/** The maximum number of projects whose hosts are read. */
const maxProjects = 500;

const readDue = columns({ projectId: asNumber, host: asText, waitsSince: asNumber });

export const waitingHosts = sql`FROM workflow_hosts INDEXED BY ix_workflow_hosts_due WHERE due_at IS NOT NULL`;

/**
 * Finds the hosts that are due in a database, the first few of each project. Skips through the index from project to
 * project, so that ten thousand hosts of one project do not hide the others.
 */
export async function findDueHosts(db: Db, now: number, limit = hostsOfProject * maxProjects): Promise<Receiver[]> {
  const calling = hopProjects(waitingHosts);
  const due = await select(
    db,
    sql`${calling}
      SELECT h.project_id, h.host, max(h.due_at, coalesce(p.called_at, 0)) AS waits_since
      FROM hop
      CROSS JOIN workflow_hosts h ON h.project_id = hop.project AND h.host IN (
        SELECT host FROM workflow_hosts INDEXED BY ix_workflow_hosts_due
        WHERE project_id = hop.project AND due_at <= ${now} ORDER BY due_at LIMIT ${hostsOfProject})
      LEFT JOIN project_counts p ON p.project_id = h.project_id
      WHERE ${isAtHome(sql`h.project_id`)}
      ORDER BY waits_since LIMIT ${limit}`,
    readDue,
  );
  return due.map(({ host, ...rest }) => ({ ...rest, name: host }));
}
