import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { timeOfId } from "../../db/ids";
import { asNumber, columns } from "../../db/rows";
import { noRows, type Statement, select, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { openParts, readCursor, storeCursor } from "../../platform/sweep";
import { dayOf } from "./day";

/**
 * The maximum number of events that one step deletes. The limit is low because each event is in three b-trees and two
 * counts.
 */
const eventsPerStep = 500;
/**
 * The maximum number of steps of one tick, for all databases together. A step is six statements, and one invocation of
 * the Worker can make a thousand.
 */
const stepsPerTick = 100;

/**
 * Sweeps all projects for events that are older than `EVENT_RETENTION_DAYS`, and deletes them. Stored counters include
 * these events, so they are decremented. An event stays until all its listeners have accepted it.
 */
export async function forgetOldEvents(platform: Platform): Promise<void> {
  const { eventRetentionMs } = platform.config;
  if (eventRetentionMs === null) return;
  const before = sql`${firstIdAt(platform.now.getTime() - eventRetentionMs)}`;
  const parts = openParts();
  const steps = Math.ceil(stepsPerTick / platform.databases.length);
  for (const [index, db] of platform.databases.entries()) {
    await parts.run(() => forgetIn(platform, db, { sweep: `old-events-${index}`, before, steps }));
  }
  parts.end();
}

interface ForgetInput {
  sweep: string;
  before: SQL;
  steps: number;
}

/** Deletes the old events of one project after another. The next tick continues where this one ends. */
async function forgetIn(platform: Platform, db: Db, { sweep, before, steps }: ForgetInput): Promise<void> {
  let cursor: number | null = Number(await readCursor(platform, sweep));
  for (let step = 0; step < steps && cursor !== null; step++) {
    const project = await findProject(db, cursor, before);
    const isDone = project === null || (await forgetNext(platform, db, project, before)) < eventsPerStep;
    cursor = isDone && project !== null ? project + 1 : project;
  }
  await storeCursor(platform, sweep, String(cursor ?? 0));
}

const readProject = columns({ projectId: asNumber });

/** Returns the next project with old events. This takes one seek per project. */
async function findProject(db: Db, from: number, before: SQL): Promise<number | null> {
  const [found] = await select(
    db,
    sql`SELECT p.project_id FROM project_counts p
      WHERE p.project_id >= ${from} AND ${isAtHome(sql`p.project_id`)} AND EXISTS (SELECT 1 FROM events e WHERE e.project_id = p.project_id AND e.id < ${before}
        AND e.next_announce_at IS NULL)
      ORDER BY p.project_id LIMIT 1`,
    readProject,
  );
  return found?.projectId ?? null;
}

async function forgetNext(platform: Platform, db: Db, projectId: number, before: SQL): Promise<number> {
  const batch = openBatch(platform, db);
  const deleted = batch.add(deleteOld(projectId, before));
  await batch.commit();
  return deleted.count;
}

function deleteOld(projectId: number, before: SQL): Statement {
  const old = sql`SELECT project_id, id, name, contact_id, ${dayOf(timeOfId(sql`id`))} AS day FROM events
    WHERE project_id = ${projectId} AND id < ${before} AND next_announce_at IS NULL
    ORDER BY id LIMIT ${eventsPerStep}`;
  return statement(
    sql`DELETE FROM events WHERE project_id = ${projectId} AND id IN (SELECT id FROM (${old})) RETURNING 1`,
    noRows,
    { before: subtractCounts(projectId, old) },
  );
}

/** Subtracts the events in `old` from the stored counts. Deletes names and days whose count becomes 0. */
function subtractCounts(projectId: number, old: SQL): Statement[] {
  const days = sql`SELECT project_id, name, day, count(*) AS events FROM (${old}) GROUP BY project_id, name, day`;
  // The oldest events are deleted first. Afterwards, a contact may still have later events with the name, and earlier
  // events that wait for their listeners.
  const newest = sql`(SELECT max(id) FROM (${old}))`;
  const others = sql`SELECT 1 FROM events e INDEXED BY ix_events_name
    WHERE e.project_id = ${projectId} AND e.name = o.name AND e.contact_id = o.contact_id`;
  const isLeaving = sql`NOT EXISTS (${others} AND e.id > ${newest})
    AND NOT EXISTS (${others} AND e.id < ${newest} AND e.next_announce_at IS NOT NULL)`;
  const names = sql`SELECT o.project_id, o.name, count(*) AS events, sum(o.day = n.day) AS of_day,
      count(DISTINCT o.contact_id) FILTER (WHERE ${isLeaving}) AS leaving
    FROM (${old}) o CROSS JOIN event_names n ON n.project_id = o.project_id AND n.name = o.name
    GROUP BY o.project_id, o.name`;
  return [
    statement(
      sql`UPDATE event_days SET count = max(0, count - gone.events) FROM (${days}) gone
        WHERE event_days.project_id = gone.project_id AND event_days.name = gone.name AND event_days.day = gone.day`,
    ),
    statement(
      sql`DELETE FROM event_days WHERE project_id = ${projectId} AND count <= 0
        AND (name, day) IN (SELECT name, day FROM (${old}))`,
    ),
    statement(
      sql`UPDATE event_names SET count = count - gone.events, contacts = contacts - gone.leaving,
          day_count = max(0, day_count - gone.of_day)
        FROM (${names}) gone WHERE event_names.project_id = gone.project_id AND event_names.name = gone.name`,
    ),
    statement(
      sql`DELETE FROM event_names WHERE project_id = ${projectId} AND count <= 0
        AND name IN (SELECT name FROM (${old}))`,
    ),
  ];
}
