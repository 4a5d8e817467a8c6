import { type SQL, sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { Conflict, NotFound } from "../../core/errors";
import { openBatch } from "../../db/batch";
import { mergedData } from "../../db/merge-data";
import { wholeRow } from "../../db/rows";
import { type Statement, type StatementRefusal, statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import { refuseLargeData } from "../../engine/contacts/data-limit";
import { restoreErased } from "../../engine/contacts/erased-address";
import { updateSubscription } from "../../engine/contacts/subscription";
import { insertFieldTypes } from "../../engine/contacts/upsert";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";
import type { UpdateContact } from "./schema";

/**
 * `PATCH /contacts/{id}`: only what is sent changes. One race-free batch and nothing read before it, as data is merged
 * inside the database. Mail that is queued keeps the address it was accepted for.
 */
export async function updateContact(ctx: Context, id: string, change: UpdateContact): Promise<ContactRow> {
  const { email, subscribed = null } = change;
  const data = readData(change.data ?? {});
  const at = ctx.now.getTime();
  const isContact = sql`project_id = ${ctx.project.id} AND id = ${id}`;
  const isThere = sql`EXISTS (SELECT 1 FROM contacts WHERE ${isContact})`;
  const changes = [
    ...(email === undefined ? [] : [sql`email = ${email}`]),
    ...(Object.keys(data.patch).length === 0 ? [] : [sql`data = ${mergedData(data.patch)}`]),
  ];
  const batch = openBatch(ctx);
  if (subscribed !== null) {
    batch.addAll(updateSubscription(ctx, { contactId: sql`${id}`, subscribed, eventData: {}, at }));
  }
  if (email !== undefined) batch.addAll(restoreAddress(ctx, { id, email, subscribed, onlyIf: isThere }));
  batch.addAll(insertFieldTypes(ctx, data.types, isThere));
  const after = batch.add(
    statement(
      changes.length === 0
        ? sql`SELECT * FROM contacts WHERE ${isContact}`
        : sql`UPDATE contacts SET ${sql.join(changes, sql`, `)}, version = version + 1, updated_at = max(updated_at, ${at})
          WHERE ${isContact} RETURNING *`,
      wholeRow(contacts),
      { refusals: [refuseTaken(email), refuseLargeData] },
    ),
  );
  await batch.commit();
  if (!after.first) throw new NotFound("contact", id);
  return after.first;
}

/**
 * The address may have been erased, and is then what it was: as with a contact that is created with it, only an explicit
 * yes of the call is more than the no that was said before.
 */
function restoreAddress(
  ctx: Context,
  { id, email, subscribed, onlyIf }: { id: string; email: string; subscribed: boolean | null; onlyIf: SQL },
): Statement[] {
  const hash = addressHash(ctx.project, email);
  const contactId = sql`(SELECT ${id} FROM erased_addresses
    WHERE project_id = ${ctx.project.id} AND hash = ${hash} AND opted_out_at IS NOT NULL)`;
  const leaving = { contactId, subscribed: false, eventData: {}, isSaidBySelf: true, at: ctx.now.getTime() };
  return [
    ...(subscribed === true ? [] : updateSubscription(ctx, leaving)),
    ...restoreErased(ctx, { items: JSON.stringify([{ email, hash }]), onlyIf }),
  ];
}

function refuseTaken(email: string | undefined): StatementRefusal {
  return {
    on: { unique: "contacts.project_id, contacts.email" },
    refuse: () =>
      new Conflict(`Another contact of this project has the address ${email}.`, {
        suggestion: "Change that contact instead; GET /contacts?email=… finds it.",
      }),
  };
}
