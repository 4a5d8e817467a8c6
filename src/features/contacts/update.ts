import { type SQL, sql } from "drizzle-orm";
import { Conflict, NotFound, VersionMismatch } from "../../core/errors";
import { firstIdAt, type Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { openBatch } from "../../db/batch";
import { neverFresh } from "../../db/fresh";
import { changesData, mergedData } from "../../db/merge-data";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { noRows, type Statement, type StatementRefusal, selectFirst, statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import { findLastActor } from "../../engine/audit/require-version";
import { upsertCounts } from "../../engine/contacts/counts";
import { refuseLargeData } from "../../engine/contacts/data-limit";
import { restoreErased } from "../../engine/contacts/erased-address";
import { insertFieldTypes } from "../../engine/contacts/field-types";
import { readGivenData } from "../../engine/contacts/given-data";
import { flips, updateSubscription } from "../../engine/contacts/subscription";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";
import type { UpdateContact } from "./schema";

/**
 * `PATCH /contacts/{id}`: changes only the fields that are sent. A single batch without a previous read is free of
 * races, because data is merged inside the database. Queued mail keeps the address that it was accepted for.
 */
export async function updateContact(ctx: Context, id: Id, change: UpdateContact): Promise<ContactRow> {
  const { email, subscribed = null } = change;
  const data = readGivenData(ctx, change.data);
  const at = ctx.now.getTime();
  const isContact = sql`${inProject(ctx)} AND id = ${id}`;
  const isThere = sql`EXISTS (SELECT 1 FROM contacts WHERE ${isContact})`;
  const batch = openBatch(ctx);
  // A second run finds the contact as the first one left it, and changes nothing. If the call names a version, however,
  // a second run would refuse what the first one did.
  if (ctx.ifMatch === null) batch.mayRepeat();
  else batch.guard(isAtVersion(isContact, ctx.ifMatch), () => whyNotAtVersion(ctx, isContact, id));
  if (subscribed !== null) {
    batch.addAll(updateSubscription(ctx, { contactId: sql`SELECT ${id}`, subscribed, eventData: {}, at }));
  }
  if (email !== undefined) batch.addAll(restoreAddress(ctx, { id, email, subscribed, onlyIf: isThere }));
  batch.addAll(insertFieldTypes(ctx, data.types, isThere));
  batch.addAll(updateRow(isContact, { email, patch: data.patch, at }));
  const after = batch.add(statement(sql`SELECT * FROM contacts WHERE ${isContact}`, wholeRow(contacts)));
  await batch.commit();
  if (!after.first) throw new NotFound("contact", id);
  return after.first;
}

/** Matches when the contact has the version, or does not exist. */
function isAtVersion(isContact: SQL, version: number): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM contacts WHERE ${isContact} AND version <> ${version})`;
}

async function whyNotAtVersion(ctx: Context, isContact: SQL, id: Id): Promise<Error> {
  const row = await selectFirst(ctx.db, sql`SELECT * FROM contacts WHERE ${isContact}`, wholeRow(contacts));
  if (row === null) return new NotFound("contact", id);
  if (ctx.ifMatch === null || ctx.ifMatch === row.version) return neverFresh();
  // The audit log records updates by people, but not by keys. An entry that is older than the row's last change is
  // about an earlier change, so it does not count.
  const since = sql`action = 'updateContact' AND id >= ${firstIdAt(row.updatedAt)}`;
  return new VersionMismatch(ctx.ifMatch, { ...row, changedBy: await findLastActor(ctx, id, since) });
}

/** Updates the row only if a field differs. Returns no statement when the call sends nothing. */
function updateRow(
  isContact: SQL,
  { email, patch, at }: { email: string | undefined; patch: JsonObject; at: number },
): Statement[] {
  const fields = [
    ...(email === undefined ? [] : [{ change: toAddress(email), differs: sql`email <> ${email}` }]),
    ...(Object.keys(patch).length === 0
      ? []
      : [{ change: sql`data = ${mergedData(patch)}`, differs: changesData(patch) }]),
    // A contact that a browser created counts as created by the API once a server updates it.
    { change: sql`source = iif(source = 'PUBLIC', 'API', source)`, differs: sql`source = 'PUBLIC'` },
  ];
  const differing = sql.join(
    fields.map(({ differs }) => differs),
    sql` OR `,
  );
  const isChanged = sql`${isContact} AND (${differing})`;
  const changes = sql.join(
    fields.map(({ change }) => change),
    sql`, `,
  );
  return [
    statement(
      sql`UPDATE contacts SET ${changes}, version = version + 1, updated_at = max(updated_at, ${at}) WHERE ${isChanged}`,
      noRows,
      { before: [upsertCounts(flips(isChanged, sql`subscribed`))], refusals: [refuseTaken(email), refuseLargeData] },
    ),
  ];
}

/**
 * Restores what is remembered about an erased person who had the new address. Only an explicit `subscribed: true`
 * overrides that person's opt-out, as it does for a new contact with the address.
 */
function restoreAddress(
  ctx: Context,
  { id, email, subscribed, onlyIf }: { id: Id; email: string; subscribed: boolean | null; onlyIf: SQL },
): Statement[] {
  const hash = addressHash(ctx.project, email);
  const contactId = sql`SELECT ${id} FROM erased_addresses
    WHERE ${inProject(ctx)} AND hash = ${hash} AND opted_out_at IS NOT NULL`;
  const leaving = { contactId, subscribed: false, eventData: {}, isSaidBySelf: true, at: ctx.now.getTime() };
  // Dates the opt-out before the contact's creation. That marks it as the opt-out of an erased person, to whom double
  // opt-in must send no mail.
  const leftBefore = statement(
    sql`UPDATE contacts SET opted_out_at = created_at - 1
      WHERE ${inProject(ctx)} AND id = ${id} AND opted_out_at >= created_at AND EXISTS (${contactId})`,
  );
  return [
    ...(subscribed === true ? [] : [...updateSubscription(ctx, leaving), leftBefore]),
    ...restoreErased(ctx, { items: JSON.stringify([{ email, hash }]), onlyIf }),
  ];
}

/** Sets the address. A confirmation was for the earlier address, so a new address clears it. */
function toAddress(email: string): SQL {
  return sql`email = ${email}, confirmed_at = iif(email = ${email}, confirmed_at, NULL)`;
}

function refuseTaken(email: string | undefined): StatementRefusal {
  return {
    on: { unique: "contacts.project_id, contacts.email" },
    refuse: () => addressTaken(email),
  };
}

export function addressTaken(email: string | undefined): Conflict {
  return new Conflict(`Another contact of this project has the address ${email}.`, {
    suggestion: "Change that contact instead. To find it, call GET /contacts?email=….",
  });
}
