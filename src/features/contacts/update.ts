import { type SQL, sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { Conflict, NotFound } from "../../core/errors";
import { statement } from "../../db/commit";
import { isUniqueViolation } from "../../db/conflicts";
import { mergedData } from "../../db/merge-data";
import { readRow } from "../../db/rows";
import { type ContactRow, contacts } from "../../db/tables";
import { dataTooBigAsInvalid } from "../../engine/contacts/data-limit";
import { recallAddresses } from "../../engine/contacts/erased-address";
import { changeSubscription } from "../../engine/contacts/subscription";
import { recordFieldTypes } from "../../engine/contacts/upsert";
import { commitAndAnnounce } from "../../engine/events/announce";
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
  const statements = [
    ...(subscribed === null ? [] : changeSubscription(ctx, { contactId: sql`${id}`, subscribed, eventData: {}, at })),
    ...(email === undefined ? [] : recallAddress(ctx, { id, email, subscribed, onlyIf: isThere })),
    ...recordFieldTypes(ctx, data.types, isThere),
    statement(
      ctx.db,
      changes.length === 0
        ? sql`SELECT * FROM contacts WHERE ${isContact}`
        : sql`UPDATE contacts SET ${sql.join(changes, sql`, `)}, version = version + 1, updated_at = max(updated_at, ${at})
          WHERE ${isContact} RETURNING *`,
    ),
  ];
  const rows = await takenAsConflict(email, dataTooBigAsInvalid(commitAndAnnounce(ctx, statements)));
  const after = rows.at(-1)?.[0];
  if (!after) throw new NotFound("contact", id);
  return readRow(contacts, after);
}

/**
 * The address may have been erased, and is then what it was: as with a contact that is created with it, only an explicit
 * yes of the call is more than the no that was said before.
 */
function recallAddress(
  ctx: Context,
  { id, email, subscribed, onlyIf }: { id: string; email: string; subscribed: boolean | null; onlyIf: SQL },
): D1PreparedStatement[] {
  const hash = addressHash(ctx.project, email);
  const contactId = sql`(SELECT ${id} FROM erased_addresses
    WHERE project_id = ${ctx.project.id} AND hash = ${hash} AND opted_out_at IS NOT NULL)`;
  const leaving = { contactId, subscribed: false, eventData: {}, isSaidBySelf: true, at: ctx.now.getTime() };
  return [
    ...(subscribed === true ? [] : changeSubscription(ctx, leaving)),
    ...recallAddresses(ctx, { items: JSON.stringify([{ email, hash }]), onlyIf }),
  ];
}

async function takenAsConflict<T>(email: string | undefined, committed: Promise<T>): Promise<T> {
  try {
    return await committed;
  } catch (error) {
    if (!isUniqueViolation(error, "contacts.project_id, contacts.email")) throw error;
    throw new Conflict(`Another contact of this project has the address ${email}.`, {
      suggestion: "Change that contact instead; GET /contacts?email=… finds it.",
      cause: error,
    });
  }
}
