import { type SQL, sql } from "drizzle-orm";
import type { ServiceEventName } from "../../core/events/service-event";

/**
 * The events that nearly every email has. The index of contacts' events leaves them out, to save an index row for each.
 * They are read from the index of names, which lists them in the same order.
 */
const ofNearlyEveryEmail = ["email.sent", "email.delivered"] as const satisfies ServiceEventName[];

const areOthers = (name: SQL) =>
  sql`${name} NOT IN (${sql.raw(ofNearlyEveryEmail.map((one) => `'${one}'`).join(", "))})`;

/**
 * Selects columns of a contact's events, as the UNION ALL of several SELECTs. When the caller orders them by id, SQLite
 * merges the SELECTs, so that a LIMIT reads no more events than it returns. `where` is a condition on `events` that
 * names the project and the contact.
 */
export function eventsOfContact(columns: SQL, where: SQL): SQL {
  return sql.join(
    [
      sql`SELECT ${columns} FROM events INDEXED BY ix_events_person WHERE ${where} AND ${areOthers(sql`name`)}`,
      ...ofNearlyEveryEmail.map(
        (name) =>
          sql`SELECT ${columns} FROM events INDEXED BY ix_events_name WHERE ${where} AND name = ${sql.raw(`'${name}'`)}`,
      ),
    ],
    sql` UNION ALL `,
  );
}

/** Returns a condition on the name of an event that holds when the index of contacts' events contains the event. */
export const isInIndexOfContact = areOthers;
