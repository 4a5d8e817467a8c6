import { type SQL, sql } from "drizzle-orm";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, select, statement } from "../../db/statement";
import type { Context, Platform } from "../../platform/context";
import { maxSweptRows, walkDatabases } from "../../platform/sweep";
import { waitListenerId } from "../events/listener";

// Executions wait for an event by its name. One row per project and name makes the events of that name reach workflows.
// The row is deleted when no step names the event and no execution waits for it. A new wait writes this row and the
// mirror's `awaits` in one batch, and the statement that deletes the row also checks `awaits`. A wait that begins
// before the deletion therefore prevents it. A wait that begins afterwards inserts the row again and checks the log.

/**
 * Whether the listener row `l` of a wait is unneeded. `audience_references` leads to the workflows whose steps may name
 * the event.
 */
const isUnneeded: SQL = sql`l.listener_id = ${waitListenerId}
  AND NOT EXISTS (SELECT 1 FROM workflow_executions e INDEXED BY ix_workflow_executions_awaits
    WHERE e.project_id = l.project_id AND e.awaits = l.name)
  AND NOT EXISTS (SELECT 1 FROM audience_references a
    CROSS JOIN workflow_steps s ON s.project_id = a.project_id AND s.workflow_id = a.referrer_id
    WHERE a.project_id = l.project_id AND a.kind = 'event' AND a.name = l.name AND a.referrer = 'workflow'
      AND s.type = 'WAIT_FOR_EVENT' AND s.config->>'eventName' = l.name)`;

/**
 * Deletes the unneeded listener rows of the events with these names. Must come after the statements that change the
 * steps, in the same batch.
 */
export function deleteWaitListeners(ctx: Context, names: string[]): Statement {
  return statement(
    sql`DELETE FROM event_listeners AS l WHERE ${inProject(ctx, "l")}
      AND l.name IN (SELECT value FROM json_each(${JSON.stringify(names)})) AND ${isUnneeded}`,
  );
}

type ListenerKey = [projectId: number, name: string, listenerId: string];

const readRow = columns({ projectId: asNumber, name: asText, listenerId: asText });

/**
 * Sweeps all projects for unneeded listeners of waits, and deletes them. A listener is left over if the last execution
 * that waits for its event ends after the step was deleted.
 */
export function forgetWaitListeners(platform: Platform): Promise<void> {
  return walkDatabases<ListenerKey>(platform, "wait-listeners", (db, after) => forgetPage(platform, db, after));
}

/** Checks the next page of all listeners. Returns the key of the page's last listener; undefined at the end. */
async function forgetPage(
  platform: Platform,
  db: Db,
  after: ListenerKey = [0, "", ""],
): Promise<ListenerKey | undefined> {
  const page = await select(
    db,
    sql`SELECT project_id, name, listener_id FROM event_listeners
      WHERE (project_id, name, listener_id) > (${after[0]}, ${after[1]}, ${after[2]}) AND ${isAtHome()}
      ORDER BY project_id, name, listener_id LIMIT ${maxSweptRows}`,
    readRow,
  );
  const waits = page.filter(({ listenerId }) => listenerId === waitListenerId);
  if (waits.length > 0) {
    const batch = openBatch(platform, db);
    const items = JSON.stringify(waits.map(({ projectId, name }) => [projectId, name]));
    batch.add(
      statement(
        sql`DELETE FROM event_listeners WHERE (project_id, name, listener_id) IN (
          SELECT l.project_id, l.name, l.listener_id FROM json_each(${items}) r
          CROSS JOIN event_listeners l ON l.project_id = r.value->>0 AND l.name = r.value->>1 AND ${isUnneeded})`,
      ),
    );
    await batch.commit();
  }
  const last = page.length < maxSweptRows ? undefined : page.at(-1);
  return last && [last.projectId, last.name, last.listenerId];
}
