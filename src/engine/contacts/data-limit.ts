import { type SQL, sql } from "drizzle-orm";
import { dataTooBig, maxDataBytes } from "../../core/contacts/data";
import { Invalid } from "../../core/errors";
import { mayLearnIds } from "../../core/idempotency";
import { type JsonObject, utf8Bytes } from "../../core/json";
import { mergedData } from "../../db/merge-data";
import { guard, type Statement, type StatementRefusal } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { ContactChange } from "./contact-change";

/**
 * The size of a contact's data is only known after the merge: the table's CHECK refuses it, and with it the whole
 * batch.
 */
export const refuseLargeData: StatementRefusal = {
  on: { check: "contacts_data_size" },
  refuse: () => new Invalid([{ field: "data", code: "too_big", message: dataTooBig }]),
};

/** Half of what a contact may have: public keys fill no more, so that servers always find room. */
const maxPublicBytes = maxDataBytes / 2;

/** Keys that one call with a public key may send. */
const maxPublicKeys = 64;

/** Whether the data of the row of `contacts` at hand is small enough with the patch laid over it. */
export function fitsMerged(patch: JsonObject): SQL {
  return sql`(${isSmall(patch)} OR octet_length(${mergedData(patch)}) <= ${maxDataBytes})`;
}

/** So small that nothing needs to be merged to see it. SQLite writes some numbers longer than they were sent. */
function isSmall(patch: JsonObject): SQL {
  return sql`octet_length(contacts.data) < ${maxPublicBytes / 2 - utf8Bytes(JSON.stringify(patch))}`;
}

/** Whether a public key may lay the patch over the data of the row of `contacts` at hand. */
export function fitsPublic(patch: JsonObject): SQL {
  const merged = sql`octet_length(${mergedData(patch)})`;
  return sql`(${isSmall(patch)} OR ${merged} <= ${maxPublicBytes} OR ${merged} <= octet_length(contacts.data))`;
}

/**
 * Refuses what a public key must not do to data: it fails the whole batch with Invalid. Where answers tell nothing, a contact
 * without room for the patch keeps its data instead: a refusal would tell that it is known, and how much of it.
 */
export function guardPublicData(ctx: Context, { contacts, data: { patch, own } }: ContactChange): Statement[] {
  if (ctx.keyKind === "secret" || Object.keys(own).length === 0) return [];
  if (Object.keys(own).length > maxPublicKeys) {
    throw tooMuch(`A call with a public key takes ${maxPublicKeys} keys of data`);
  }
  const message = `With a public key, the data of one contact grows to ${maxPublicBytes} bytes of JSON`;
  if (utf8Bytes(JSON.stringify(patch)) > maxPublicBytes) throw tooMuch(message);
  if (!mayLearnIds(ctx)) return [];
  const isFilled = sql`SELECT 1 FROM ${named(ctx, JSON.stringify(contacts))} WHERE NOT ${fitsPublic(patch)}`;
  return [guard(sql`NOT EXISTS (${isFilled})`, () => tooMuch(message))];
}

function tooMuch(message: string): Invalid {
  return new Invalid([{ field: "data", code: "too_big", message }]);
}

/** The contacts that are there, of an array of items with their addresses. */
export function named(ctx: Context, items: string): SQL {
  return sql`json_each(${items}) r
    CROSS JOIN contacts ON contacts.project_id = ${ctx.project.number} AND contacts.email = r.value->>'email'`;
}

/**
 * After an upsert that keeps what a contact has: who had no room for the patch, as words such as "ada@example.com and 3
 * more". NULL when all had.
 */
export function whoIsFull(ctx: Context, { contacts, data: { patch } }: Pick<ContactChange, "contacts" | "data">): SQL {
  return sql`(SELECT min(contacts.email) || iif(count(*) > 1, ' and ' || (count(*) - 1) || ' more', '')
    FROM ${named(ctx, JSON.stringify(contacts))} WHERE NOT ${fitsMerged(patch)})`;
}
