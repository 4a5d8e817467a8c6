import { type SQL, sql } from "drizzle-orm";
import { hourMs } from "../../core/time";
import type { Db } from "../../db/client";
import { query } from "../../db/commit";
import type { Platform } from "../../platform/context";
import { announcements } from "./announce";
import { announceGraceMs } from "./record";

/** One statement takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 20;

const longestWaitMs = 6 * hourMs;

/**
 * The sweep under lost messages, over all projects: events that somebody listens for and that nobody has dispatched are
 * announced again, and pushed out twice as far each time. None is ever given up.
 */
export async function dispatchStranded(platform: Platform): Promise<void> {
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      if ((await announceStranded(platform, db)) < limit) break;
    }
  }
}

async function announceStranded(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const stranded = await query(
    db,
    sql`UPDATE events SET announcements = announcements + 1, next_announce_at = ${now} + ${pushedOutMs()}
      WHERE id IN (SELECT id FROM events INDEXED BY ix_events_waiting
        WHERE dispatched_at IS NULL AND next_announce_at <= ${now} ORDER BY next_announce_at LIMIT ${limit})
      RETURNING id, project_id`,
  );
  const byProject = Map.groupBy(stranded, (row) => String(row.project_id));
  await platform.enqueue(
    [...byProject].flatMap(([projectId, rows]) =>
      announcements(
        projectId,
        rows.map(({ id }) => String(id)),
      ),
    ),
  );
  return stranded.length;
}

/** 1 minute, 2, 4 … up to six hours. */
function pushedOutMs(): SQL {
  return sql`min(${announceGraceMs} << min(announcements, 9), ${longestWaitMs})`;
}
