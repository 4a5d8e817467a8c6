import { type SQL, sql } from "drizzle-orm";
import { iso } from "../../core/time";
import { asText, columns, orNull, type RowReader, wholeRow } from "../../db/rows";
import { type EventRow, events } from "../../db/tables";

/** An event with the address of its contact, which is gone with the contact. */
export interface Event {
  row: EventRow;
  contactEmail: string | null;
}

/** The columns of events `e` and their contacts `c`, for `readEvent`. */
export const eventColumns: SQL = sql`e.*, c.email AS contact_email`;

const readRow = wholeRow(events);
const readContact = columns({ contactEmail: orNull(asText) });

export const readEvent: RowReader<Event> = (raw) => ({ row: readRow(raw), ...readContact(raw) });

export function eventJson({ row, contactEmail }: Event) {
  return {
    id: row.id,
    name: row.name,
    contactId: row.contactId,
    contactEmail,
    emailId: row.emailId,
    data: row.data,
    createdAt: iso(row.createdAt),
  };
}
