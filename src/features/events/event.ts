import { type SQL, sql } from "drizzle-orm";
import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import { iso } from "../../core/time";
import { asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { type EventRow, events } from "../../db/tables";
import { eventDataColumns, readEventData } from "../../engine/events/email-data";

/** An event with the address of its contact, which is gone with the contact. */
export interface Event {
  row: EventRow;
  contactEmail: string | null;
}

/** The columns of events `e` and their contacts `c`, for `readEvent`, beside `joinEmailOfEvent`. */
export const eventColumns: SQL = sql`e.*, c.email AS contact_email, ${eventDataColumns}`;

const readRow = wholeRow(events);
const readContact = columns({ contactEmail: orNull(asText) });

export const readEvent: RowReader<Event> = (raw) => ({
  row: { ...readRow(raw), data: readEventData(raw) },
  ...readContact(raw),
});

export function eventJson({ row, contactEmail }: Event) {
  return {
    id: publicId(row.id),
    name: row.name,
    contactId: publicIdOrNull(row.contactId),
    contactEmail,
    emailId: publicIdOrNull(row.emailId),
    source: row.source,
    data: row.data,
    createdAt: iso(timeOf(row.id)),
  };
}
