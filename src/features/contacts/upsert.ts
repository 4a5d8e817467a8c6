import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { newId } from "../../core/ids";
import { statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContactRow, contacts } from "../../db/tables";
import { dataTooBigAsInvalid } from "../../engine/contacts/data-limit";
import { upsertContacts } from "../../engine/contacts/upsert";
import { commitAndAnnounce } from "../../engine/events/announce";
import type { Context } from "../../platform/context";
import type { UpsertContact } from "./schema";

/** `POST /contacts`: one contact, created or changed. One round trip. */
export async function upsertContact(
  ctx: Context,
  input: UpsertContact,
): Promise<{ contact: ContactRow; isNew: boolean }> {
  const id = newId();
  const statements = upsertContacts(ctx, {
    contacts: [{ id, email: input.email }],
    data: readData(input.data ?? {}),
    subscribed: input.subscribed ?? null,
    subscribedByDefault: true,
    onlyIf: sql`true`,
  });
  const result = statement(
    ctx.db,
    sql`SELECT * FROM contacts WHERE project_id = ${ctx.project.id} AND email = ${input.email}`,
  );
  const rows = await dataTooBigAsInvalid(commitAndAnnounce(ctx, [...statements, result]));
  const contact = readRow(contacts, rows.at(-1)?.[0]);
  return { contact, isNew: contact.id === id };
}
