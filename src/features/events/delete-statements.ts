import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { asId as idOf } from "../../core/ids";
import { timeOfId } from "../../db/ids";
import { asId, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { dayOf } from "../../engine/events/day";
import type { Context } from "../../platform/context";

/**
 * The maximum number of events that one statement deletes. Each row is in three b-trees and counted twice, so a larger
 * statement would block other requests for too long.
 */
export const rowsPerStatement = 250;

/**
 * The deletion of all events with a name. Events that are tracked after the call stay, because their ids are not below
 * `before`. Contacts are processed one by one, and `from` is the contact that the deletion has reached; null at the
 * beginning.
 */
export const Deletion = z.object({
  name: z.string(),
  before: z.string().transform(idOf),
  from: z.string().transform(idOf).nullable(),
});
export type Deletion = z.infer<typeof Deletion>;

const readContact = columns({ contactId: orNull(asId) });

/** Deletes the next events, and subtracts them from the counts. Returns the contact of each deleted event. */
export function deleteNext(ctx: Context, deletion: Deletion): Statement<ReturnType<typeof readContact>> {
  return statement(
    sql`DELETE FROM events
      WHERE ${inProject(ctx)} AND id IN (SELECT id FROM (${selectNext(ctx, deletion)})) RETURNING contact_id`,
    readContact,
    { before: subtractCounts(ctx, deletion) },
  );
}

/** Selects `id, contact_id` of the events that `deleteNext` deletes next. */
export function selectNext(ctx: Context, { name, before, from }: Deletion): SQL {
  return sql`SELECT id, contact_id FROM events INDEXED BY ix_events_name
    WHERE ${inProject(ctx)} AND name = ${name} ${from === null ? sql`` : sql`AND contact_id >= ${from}`}
      AND id < ${before}
    ORDER BY contact_id, id LIMIT ${rowsPerStatement}`;
}

/**
 * Subtracts the events that `deleteNext` deletes from the stored counts. Deletes the name and its days when the name
 * has no events left.
 */
function subtractCounts(ctx: Context, deletion: Deletion): Statement[] {
  const isName = sql`${inProject(ctx)} AND name = ${deletion.name}`;
  const days = sql`(SELECT ${dayOf(timeOfId(sql`id`))} AS day, count(*) AS events FROM (${selectNext(ctx, deletion)}) GROUP BY 1)`;
  // The contacts that lose their last event with the name. Events are deleted in order, so a contact with a later event
  // still has one.
  const leaving = sql`(SELECT d.contact_id
    FROM (SELECT contact_id, max(id) AS last_id FROM (${selectNext(ctx, deletion)}) GROUP BY contact_id) d
    WHERE d.contact_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events e WHERE ${inProject(ctx, "e")}
      AND e.name = ${deletion.name} AND e.contact_id = d.contact_id AND e.id > d.last_id))`;
  return [
    statement(
      sql`UPDATE event_days SET count = max(0, count - gone.events) FROM ${days} gone
        WHERE ${isName} AND event_days.day = gone.day`,
    ),
    statement(
      sql`UPDATE event_names SET count = count - (SELECT count(*) FROM (${selectNext(ctx, deletion)})),
          contacts = contacts - (SELECT count(*) FROM ${leaving}),
          day_count = max(0, day_count - coalesce((SELECT gone.events FROM ${days} gone WHERE gone.day = event_names.day), 0))
        WHERE ${isName}`,
    ),
    statement(sql`DELETE FROM event_names WHERE ${isName} AND count <= 0`),
    statement(sql`DELETE FROM event_days WHERE ${isName} AND NOT EXISTS (SELECT 1 FROM event_names WHERE ${isName})`),
  ];
}
