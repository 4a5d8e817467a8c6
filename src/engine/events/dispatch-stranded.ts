import { type SQL, sql } from "drizzle-orm";
import { hourMs, minuteMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { backoffInSql } from "../../db/backoff";
import { announcements, openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asId, asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { sweepAtHome } from "../../platform/sweep-at-home";

/**
 * The waits between further announcements, once the first message counts as lost: 1, 2, 4 … minutes, up to six hours.
 */
const untilAnnouncedAgain = { firstMs: minuteMs, growth: 2, maxMs: 6 * hourMs } as const;

/** Undispatched events whose message counts as lost. */
const strandedEvents = (now: Date) =>
  sql`FROM events INDEXED BY ix_events_waiting WHERE next_announce_at <= ${now.getTime()}`;

export const hasStrandedEvents: IsDue = ({ now }) => exists(strandedEvents(now));

/**
 * Sweeps all projects for lost messages: undispatched events with a listener are announced again, each time after twice
 * the wait. The sweep never gives up.
 */
export function dispatchStranded(platform: Platform): Promise<void> {
  return announceStranded(platform, maxSweptRows);
}

const key = ["project_id", "id"];

/**
 * The maximum number of events that `dispatchLost` announces again. The limit is low because most undispatched events
 * are not lost when the queue has a backlog.
 */
const maxLost = 100;

/**
 * Announces lost events every five seconds, up to `maxLost`, so that a lost event of a quiet installation does not wait
 * for the next minute.
 */
export function dispatchLost(platform: Platform): Promise<void> {
  return announceStranded(platform, maxLost);
}

/**
 * Makes every undispatched event due at once. Runs at process start, because all messages were lost with the previous
 * process.
 */
export function endGraceOfEvents(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    batch.add(
      statement(sql`UPDATE events SET next_announce_at = ${now} WHERE next_announce_at > ${now} AND ${isAtHome()}`),
    );
    await batch.commit();
    return 0;
  });
}

function announceStranded(platform: Platform, limit: number): Promise<void> {
  const due = { rows: strandedEvents(platform.now), order: ["next_announce_at", ...key], key };
  return sweepAtHome(platform, due, (db, rows) => announceSome(platform, db, rows), limit);
}

async function announceSome(platform: Platform, db: Db, rows: SQL): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch(platform, db);
  const stranded = batch.add(
    statement(
      sql`UPDATE events SET announcements = announcements + 1, next_announce_at = ${now} + ${backoffInSql(untilAnnouncedAgain, sql`announcements`)}
        WHERE (project_id, id) IN (${rows})
        RETURNING id, project_id`,
      columns({ id: asId, projectId: asNumber }),
    ),
  );
  await batch.commit();
  await platform.enqueue(announcements(stranded.all));
  return stranded.count;
}
