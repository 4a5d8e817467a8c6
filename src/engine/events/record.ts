import { type SQL, sql } from "drizzle-orm";
import { minuteMs } from "../../core/time";
import type { Db } from "../../db/client";
import { statement } from "../../db/commit";
import { heardAs } from "./listener";

/** An event that somebody listens for, and whose message is lost, is announced again after this long. */
export const announceGraceMs = minuteMs;

/** The column by which a batch's results tell which of their events are to be announced; see announce.ts. */
export const announcedColumn = "event_to_announce";

/**
 * The statement that writes event rows, for the batch of the change that causes them. `rows` is a SELECT of
 * `project_id, name, contact_id, email_id, data`; `id` is for one row whose id is already given, and `returning` is
 * what else each row answers.
 *
 * The log is the outbox of the house: a row that nobody listens for is born dispatched, so that a million `email.sent`
 * cost no message. Who listens is asked in the insert itself, so that it holds at the moment of the commit.
 */
export function recordEvents(
  db: Db,
  { rows, at, id = eventIdInSql(at), returning }: { rows: SQL; at: number; id?: SQL; returning?: SQL },
): D1PreparedStatement {
  const listener = sql`SELECT 1 FROM event_listeners l
    WHERE l.project_id = o.project_id AND l.name IN ${heardAs(sql`o.name`)}`;
  // Many rows may come back: those that nobody is told of say no more than that.
  const toAnnounce = sql`CASE WHEN dispatched_at IS NULL THEN id END AS ${sql.raw(announcedColumn)}`;
  return statement(
    db,
    sql`INSERT INTO events (id, project_id, name, contact_id, email_id, data, created_at, dispatched_at, next_announce_at)
      SELECT ${id}, o.project_id, o.name, o.contact_id, o.email_id, o.data, ${at},
        CASE WHEN EXISTS (${listener}) THEN NULL ELSE ${at} END, ${at + announceGraceMs}
      FROM (${rows}) o
      RETURNING ${returning ? sql`${returning}, ` : sql``}${toAnnounce}`,
  );
}

/** An id for an event row that is born inside SQL: a UUID v7 of the given time (RFC 9562 section 5.7). */
function eventIdInSql(atMs: number): SQL {
  const time = atMs.toString(16).padStart(12, "0");
  const head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  return sql`${head} || substr(lower(hex(randomblob(2))), 2) || '-' || substr('89ab', 1 + (random() & 3), 1)
    || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;
}
