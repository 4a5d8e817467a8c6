import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { lostAfterMs } from "../../core/nudge";
import { minuteMs } from "../../core/time";
import { startListeners } from "../../core/workflows/trigger";
import { hasTail, idOfTick, type Tail, tickOf, timeOfId } from "../../db/ids";
import { asId, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context, Platform } from "../../platform/context";
import { dayOf, endOfDay } from "./day";
import { namesMatching } from "./listener";

/** An event with more causing workflows than this starts no workflow. */
const maxCauses = 5;

const readInserted = columns({
  id: asId,
  projectId: asNumber,
  contactId: orNull(asId),
  /** Null when the event has no listener. */
  nextAnnounceAt: orNull(asNumber),
});
export type InsertedEventRow = ReturnType<typeof readInserted>;

/** The source of an event: a browser's key, a server's key, or the service itself. */
export type EventSource = "PUBLIC" | "API" | "SYSTEM";

interface EventRows {
  rows: SQL;
  source?: EventSource;
  hasMails?: boolean;
  hasCauses?: boolean;
  /** Whether a public key caused the event of the row `o`. */
  isPublic?: SQL;
  /** The tail of the events' ids, by which their batch recognises its own commit: see `eventsOf`. */
  tail?: Tail;
  /** The SELECT that finds the inserted events after their commit. */
  again?: SQL;
}

/**
 * Inserts event rows, in the batch of the change that causes them. `rows` is a SELECT of `project_id, name, contact_id,
 * email_id, data`, in the order in which the events happened. If `hasMails`, the rows also have a column `is_mail`:
 * whether the event is counted in `mails`. If `hasCauses`, they also have a column `causes`: the workflows that led to
 * the event, as a JSON array or NULL.
 *
 * The time of an event is the time of its commit by the database's own clock, but never before the project's newest
 * event. The log is therefore in the order of the changes that it describes. The log is also a transactional outbox. A
 * row without a listener is inserted as dispatched, so that a million `email.sent` cost no message. The insert itself
 * looks for listeners, so the result is valid at the moment of the commit. The batch announces the other rows. In the
 * same way the insert decides which workflows the event starts, and stores them in the row.
 *
 * Each statement of a batch reads the clock again, but an event must be counted on the day of its id. The preceding
 * statement, which counts the events, therefore also decides their time.
 */
export function insertEvents(
  { databaseNow, realDatabaseNow }: Pick<Platform, "databaseNow" | "realDatabaseNow">,
  {
    rows,
    source = "SYSTEM",
    hasMails = false,
    hasCauses = false,
    isPublic = sql`${source === "PUBLIC"}`,
    tail,
    again,
  }: EventRows,
): Statement<InsertedEventRow> {
  const listener = sql`SELECT 1 FROM event_listeners l
    WHERE l.project_id = o.project_id AND l.name IN ${namesMatching(sql`o.name`)}`;
  const counted = sql`(SELECT max(n.last_at) FROM event_names n
    WHERE n.project_id = p.project_id AND n.name IN (SELECT o.name FROM o WHERE o.project_id = p.project_id))`;
  return statement(
    sql`INSERT INTO events (project_id, id, name, contact_id, email_id, source, is_public, data, starts, next_announce_at${hasCauses ? sql`, causes` : sql``})
      WITH o AS MATERIALIZED (SELECT n.*, row_number() OVER (PARTITION BY n.project_id) - 1 AS ordinal FROM (${rows}) n),
        base AS MATERIALIZED (
          SELECT p.project_id, max(${counted} << 12, coalesce(${newest(sql`p.project_id`, tickOf)} + 1, 0)) AS tick
          FROM (SELECT DISTINCT project_id FROM o) p)
      SELECT o.project_id, ${idOfTick(sql`(base.tick + o.ordinal)`, tail)}, o.name, o.contact_id, o.email_id, ${source}, ${isPublic}, o.data,
        ${startedBy({ isPublic, hasCauses })},
        CASE WHEN EXISTS (${listener}) THEN ${realDatabaseNow} + ${lostAfterMs} END${hasCauses ? sql`, o.causes` : sql``}
      FROM o CROSS JOIN base ON base.project_id = o.project_id
      RETURNING id, project_id, contact_id, next_announce_at`,
    readInserted,
    {
      again,
      before: countEvents(databaseNow, { rows, source, hasMails }),
      announces: (raw) => {
        const { id, projectId, nextAnnounceAt } = readInserted(raw);
        return { id, projectId, hasListener: nextAnnounceAt !== null };
      },
    },
  );
}

/**
 * How long a batch can recognise its own events, in milliseconds. A batch runs again within a second. The rest allows
 * for differences between clocks.
 */
const recognisedForMs = 10 * minuteMs;

/**
 * Selects the events that one statement of `insertEvents` inserted a moment ago, by their name, their tail and the
 * contact's address. The tail is random, so a batch recognises its commit by these events, and needs no further row for
 * that.
 */
export function eventsOf(ctx: Context, { email, name, tail }: { email: string; name: string; tail: Tail }): SQL {
  return sql`SELECT e.id, e.project_id, e.contact_id, e.next_announce_at FROM contacts c
    CROSS JOIN events e INDEXED BY ix_events_name ON e.project_id = c.project_id AND e.name = ${name}
      AND e.contact_id = c.id AND e.id >= ${firstIdAt(ctx.now.getTime() - recognisedForMs)}
    WHERE ${inProject(ctx, "c")} AND c.email = ${email} AND ${hasTail(sql`e.id`, tail)}`;
}

/**
 * Returns SQL for the workflows that the event `o` starts: those that are enabled and listen to its exact name. A
 * workflow among the event's causes does not start again, and an event with too many causes starts none, so events and
 * workflows that cause each other cannot loop forever. A workflow with `publicEvents: false` is not started by an event
 * that a public key caused.
 */
function startedBy({ isPublic, hasCauses }: { isPublic: SQL; hasCauses: boolean }): SQL {
  const first = sql`iif(${isPublic}, ${startListeners.open}, ${startListeners.closed})`;
  const isNew = hasCauses
    ? sql` AND coalesce(json_array_length(o.causes), 0) <= ${maxCauses}
          AND NOT EXISTS (SELECT 1 FROM json_each(o.causes) c WHERE c.value = ${workflowOf(sql`l.listener_id`)})`
    : sql``;
  return sql`(SELECT nullif(json_group_array(${workflowOf(sql`l.listener_id`)}), '[]') FROM event_listeners l
          WHERE l.project_id = o.project_id AND l.name = o.name AND l.listener_id >= ${first}
            AND l.listener_id < ${`${startListeners.open}~`} AND o.contact_id IS NOT NULL${isNew})`;
}

function workflowOf(listenerId: SQL): SQL {
  return sql`substr(${listenerId}, -22)`;
}

/** Returns SQL for a value of a project's newest event; NULL if the project has no event. */
function newest(projectId: SQL, of: (id: SQL) => SQL): SQL {
  return sql`(SELECT ${of(sql`newest.id`)} FROM events newest
    WHERE newest.project_id = ${projectId} ORDER BY newest.id DESC LIMIT 1)`;
}

/**
 * Updates the stored counts, once per batch and name. Must come before the insert of the events, because it reads the
 * existing rows to see which contacts already had an event with the name. When a name occurs on a new day, the first
 * statement moves the count of the past day to a row of its own. If midnight falls between the two statements, the
 * first one has moved nothing, so the whole batch counts for the previous day.
 */
function countEvents(
  databaseNow: SQL,
  { rows, source, hasMails }: { rows: SQL; source: EventSource; hasMails: boolean },
): Statement[] {
  const mails = (counted: SQL) => (hasMails ? counted : sql``);
  const at = (projectId: SQL) => sql`max(${databaseNow}, coalesce(${newest(projectId, timeOfId)}, 0))`;
  const hadName = sql`SELECT 1 FROM events e
    WHERE e.project_id = o.project_id AND e.name = o.name AND e.contact_id = o.contact_id`;
  // Selects the latest past day whose count the first statement has not moved.
  const unmovedDay = sql`(SELECT max(n.day) FROM named other
    CROSS JOIN event_names n ON n.project_id = other.project_id AND n.name = other.name
    WHERE +other.project_id = named.project_id AND n.day < ${dayOf(sql`named.now`)} AND n.day_count > 0 AND NOT EXISTS (
      SELECT 1 FROM event_days d WHERE d.project_id = n.project_id AND d.name = n.name AND d.day = n.day))`;
  return [
    statement(
      sql`INSERT INTO event_days (project_id, name, day, count, last_at)
        SELECT n.project_id, n.name, n.day, n.day_count, n.last_at
        FROM (SELECT DISTINCT project_id, name FROM (${rows})) o
        CROSS JOIN event_names n ON n.project_id = o.project_id AND n.name = o.name
        WHERE n.day < ${dayOf(at(sql`n.project_id`))} AND n.day_count > 0
        ON CONFLICT DO UPDATE SET count = event_days.count + excluded.count, last_at = excluded.last_at`,
    ),
    statement(
      sql`INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count, is_public${mails(sql`, mails`)})
        WITH o AS MATERIALIZED (SELECT project_id, name, contact_id${mails(sql`, is_mail`)} FROM (${rows})),
          named AS MATERIALIZED (SELECT o.project_id, o.name, count(*) AS events,
            count(DISTINCT o.contact_id) FILTER (WHERE NOT EXISTS (${hadName})) AS contacts,
            ${at(sql`o.project_id`)} AS now${mails(sql`, sum(o.is_mail) AS mails`)}
          FROM o GROUP BY o.project_id, o.name)
        SELECT c.project_id, c.name, c.events, c.contacts, c.at, ${dayOf(sql`c.at`)}, c.events, ${source === "PUBLIC"}${mails(sql`, c.mails`)}
        FROM (SELECT *, min(now, coalesce(${endOfDay(unmovedDay)}, now)) AS at FROM named) c
        WHERE true
        ON CONFLICT DO UPDATE SET count = event_names.count + excluded.count,
          contacts = event_names.contacts + excluded.contacts, last_at = excluded.last_at, day = excluded.day,
          day_count = iif(event_names.day = excluded.day, event_names.day_count, 0) + excluded.day_count${mails(sql`,
          mails = event_names.mails + excluded.mails`)}`,
    ),
  ];
}
