import { type SQL, sql } from "drizzle-orm";
import type { EmailRow } from "../../../db/tables";

/** Returns the keys of emails, and the round that each had when it was read, as JSON items `r` for `isAsRead`. */
export function itemsOf(emails: EmailRow[]): string {
  return JSON.stringify(emails.map(({ id, projectId, round }) => ({ emailId: id, projectId, round })));
}

/** Matches the email `e` of an item `r` by its key. */
export const ofItem: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'`;

/** Matches when the email `e` of an item `r` is still due and has not been handed over since it was read. */
export function isAsRead(at: number): SQL {
  return sql`${ofItem} AND e.status = 'QUEUED' AND e.round IS r.value->>'round' AND e.next_attempt_at <= ${at}`;
}
