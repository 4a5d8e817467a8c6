import { type SQL, sql } from "drizzle-orm";
import { iso } from "../../core/time";
import { readRow } from "../../db/rows";
import { type EventRow, events } from "../../db/tables";

/** An event with the address of its contact, which is gone with the contact. */
export interface Event {
  row: EventRow;
  contactEmail: string | null;
}

/** The columns of events `e` and their contacts `c`, for `readEvent`. */
export const eventColumns: SQL = sql`e.*, c.email AS contact_email`;

export function readEvent(raw: Record<string, unknown>): Event {
  return { row: readRow(events, raw), contactEmail: raw.contact_email === null ? null : String(raw.contact_email) };
}

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
