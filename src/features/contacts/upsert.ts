import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import { upsertContacts } from "../../engine/contacts/upsert";
import type { Context } from "../../platform/context";
import type { UpsertContact } from "./schema";

/** `POST /contacts`: one contact, created or changed. One round trip. */
export async function upsertContact(
  ctx: Context,
  input: UpsertContact,
): Promise<{ contact: ContactRow; isNew: boolean }> {
  const id = newIdAt(ctx.now.getTime());
  const batch = openBatch(ctx);
  batch.addAll(
    upsertContacts(ctx, {
      contacts: [{ id, email: input.email }],
      data: readData(input.data ?? {}),
      subscribed: input.subscribed ?? null,
      subscribedByDefault: true,
      source: "API",
      whenFull: "refuse",
      onlyIf: sql`true`,
    }),
  );
  const after = batch.add(
    statement(
      sql`SELECT * FROM contacts WHERE project_id = ${ctx.project.number} AND email = ${input.email}`,
      wholeRow(contacts),
    ),
  );
  await batch.commit();
  return { contact: after.one, isNew: after.one.id === id };
}
