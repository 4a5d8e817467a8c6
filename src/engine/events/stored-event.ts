import { type SQL, sql } from "drizzle-orm";
import { asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type EventRow, events } from "../../db/tables";
import type { Context } from "../../platform/context";
import { eventDataColumns, joinEmailOfEvent, readEventData } from "./email-data";

/** An event with the address of its contact. The address is null once the contact is deleted. */
export interface StoredEvent {
  row: EventRow;
  contactEmail: string | null;
}

/** The columns of events `e` and contacts `c` for `readEvent`. The query also needs `joinEmailOfEvent`. */
export const eventColumns: SQL = sql`e.*, c.email AS contact_email, ${eventDataColumns}`;

const readRow = wholeRow(events);
const readContact = columns({ contactEmail: orNull(asText) });

export const readEvent: RowReader<StoredEvent> = (raw) => ({
  row: { ...readRow(raw), data: readEventData(raw) },
  ...readContact(raw),
});

/**
 * Selects whole events, newest first. `ids` is a SELECT of their ids: sorting ids is cheaper than sorting whole rows.
 */
export function selectEventsById(ctx: Context, ids: SQL): SQL {
  return sql`SELECT ${eventColumns} FROM (${ids}) page
    CROSS JOIN events e ON ${inProject(ctx, "e")} AND e.id = page.id
    LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
    ORDER BY e.id DESC`;
}
