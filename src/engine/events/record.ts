import { type SQL, sql } from "drizzle-orm";
import { minuteMs } from "../../core/time";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { heardAs } from "./listener";

/** An event that somebody listens for, and whose message is lost, is announced again after this long. */
export const announceGraceMs = minuteMs;

/** An event row as its insert returns it. */
interface EventRef {
  id: string;
  projectId: string;
  contactId: string | null;
  /** Null when somebody listens for it. */
  dispatchedAt: number | null;
}

const readRef = columns({
  id: asText,
  projectId: asText,
  contactId: orNull(asText),
  dispatchedAt: orNull(asNumber),
});

/**
 * Event rows, for the batch of the change that causes them. `rows` is a SELECT of
 * `project_id, name, contact_id, email_id, data`; `id` is for one row whose id is already given.
 *
 * The log is the outbox of the house: a row that nobody listens for is born dispatched, so that a million `email.sent`
 * cost no message. Who listens is asked in the insert itself, so that it holds at the moment of the commit. The batch
 * announces the others.
 */
export function insertEvents({
  rows,
  at,
  id = eventIdInSql(at),
}: {
  rows: SQL;
  at: number;
  id?: SQL;
}): Statement<EventRef> {
  const listener = sql`SELECT 1 FROM event_listeners l
    WHERE l.project_id = o.project_id AND l.name IN ${heardAs(sql`o.name`)}`;
  return statement(
    sql`INSERT INTO events (id, project_id, name, contact_id, email_id, data, created_at, dispatched_at, next_announce_at)
      SELECT ${id}, o.project_id, o.name, o.contact_id, o.email_id, o.data, ${at},
        CASE WHEN EXISTS (${listener}) THEN NULL ELSE ${at} END, ${at + announceGraceMs}
      FROM (${rows}) o
      RETURNING id, project_id, contact_id, dispatched_at`,
    readRef,
    {
      announces: (raw) => {
        const { id, projectId, dispatchedAt } = readRef(raw);
        return { id, projectId, isHeard: dispatchedAt === null };
      },
    },
  );
}

/** An id for an event row that is born inside SQL: a UUID v7 of the given time (RFC 9562 section 5.7). */
function eventIdInSql(atMs: number): SQL {
  const time = atMs.toString(16).padStart(12, "0");
  const head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  return sql`${head} || substr(lower(hex(randomblob(2))), 2) || '-' || substr('89ab', 1 + (random() & 3), 1)
    || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;
}
