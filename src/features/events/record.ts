import { type SQL, sql } from "drizzle-orm";

/**
 * The value of `dispatched_at` for a new event row: the log is the outbox of the house, and a row that nobody listens
 * for is born dispatched, so that a million `email.sent` cost no message. Asked in SQL, in the insert itself, so that
 * it holds at the moment of the commit.
 */
export function bornDispatched(projectId: string | SQL, name: string | SQL, at: number | SQL): SQL {
  const listener = sql`SELECT 1 FROM event_listeners l WHERE l.project_id = ${projectId}
    AND l.name IN (${name}, substr(${name}, 1, instr(${name}, '.')) || '*', '*')`;
  return sql`CASE WHEN EXISTS (${listener}) THEN NULL ELSE ${at} END`;
}

/** An id for an event row that is born inside SQL: a UUID v7 of the given time (RFC 9562 section 5.7). */
export function eventIdInSql(atMs: number): SQL {
  const time = atMs.toString(16).padStart(12, "0");
  const head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  return sql`${head} || substr(lower(hex(randomblob(2))), 2) || '-' || substr('89ab', 1 + (random() & 3), 1)
    || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;
}
