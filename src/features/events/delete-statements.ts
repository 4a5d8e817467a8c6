import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { asId as idOf } from "../../core/ids";
import { timeOfId } from "../../db/ids";
import { asId, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { dayOf } from "../../engine/events/day";
import type { Context } from "../../platform/context";

/** Each row is in three trees and counted twice: a statement over more would hold up everybody else. */
export const rowsPerStatement = 250;

/**
 * The events of a name that a call deletes: those that come after it stay, and sort behind `before`. They go contact by
 * contact, and `from` is the contact at which the deletion has arrived; null at its beginning.
 */
export const Doomed = z.object({
  name: z.string(),
  before: z.string().transform(idOf),
  from: z.string().transform(idOf).nullable(),
});
export type Doomed = z.infer<typeof Doomed>;

const readContact = columns({ contactId: orNull(asId) });

/** Deletes the next of them, and takes them off the counts. Returns a row for each. */
export function deleteNext(ctx: Context, doomed: Doomed): Statement<ReturnType<typeof readContact>> {
  return statement(
    sql`DELETE FROM events
      WHERE project_id = ${ctx.project.number} AND id IN (SELECT id FROM (${next(ctx, doomed)})) RETURNING contact_id`,
    readContact,
    { before: takenOff(ctx, doomed) },
  );
}

/** A SELECT of `id, contact_id` of those that `deleteNext` takes next. */
export function next(ctx: Context, { name, before, from }: Doomed): SQL {
  return sql`SELECT id, contact_id FROM events INDEXED BY ix_events_name
    WHERE project_id = ${ctx.project.number} AND name = ${name} ${from === null ? sql`` : sql`AND contact_id >= ${from}`}
      AND id < ${before}
    ORDER BY contact_id, id LIMIT ${rowsPerStatement}`;
}

/** The kept counts without these events. A name that has none left is forgotten, with its days. */
function takenOff(ctx: Context, doomed: Doomed): Statement[] {
  const isName = sql`project_id = ${ctx.project.number} AND name = ${doomed.name}`;
  const days = sql`(SELECT ${dayOf(timeOfId(sql`id`))} AS day, count(*) AS events FROM (${next(ctx, doomed)}) GROUP BY 1)`;
  // They go in order, so whoever has a later one keeps the name.
  const leaving = sql`(SELECT d.contact_id
    FROM (SELECT contact_id, max(id) AS last_id FROM (${next(ctx, doomed)}) GROUP BY contact_id) d
    WHERE d.contact_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE e.project_id = ${ctx.project.number}
      AND e.name = ${doomed.name} AND e.contact_id = d.contact_id AND e.id > d.last_id))`;
  return [
    statement(
      sql`UPDATE event_days SET count = max(0, count - gone.events) FROM ${days} gone
        WHERE ${isName} AND event_days.day = gone.day`,
    ),
    statement(
      sql`UPDATE event_names SET count = count - (SELECT count(*) FROM (${next(ctx, doomed)})),
          contacts = contacts - (SELECT count(*) FROM ${leaving}),
          day_count = max(0, day_count - coalesce((SELECT gone.events FROM ${days} gone WHERE gone.day = event_names.day), 0))
        WHERE ${isName}`,
    ),
    statement(sql`DELETE FROM event_names WHERE ${isName} AND count <= 0`),
    statement(sql`DELETE FROM event_days WHERE ${isName} AND NOT EXISTS (SELECT 1 FROM event_names WHERE ${isName})`),
  ];
}
