import { type SQL, sql } from "drizzle-orm";
import { dataTooBig, maxDataBytes } from "../../core/contacts/data";
import { Invalid } from "../../core/errors";
import { mayLearnIds } from "../../core/idempotency";
import { type JsonObject, utf8Bytes } from "../../core/json";
import { mergedData } from "../../db/merge-data";
import { inProject } from "../../db/scope";
import { guard, type Statement, type StatementRefusal } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { ContactChange } from "./contact-change";

/**
 * Refuses data that is too large once it is merged. Its size is not known before the batch runs, so a CHECK of the
 * table fails the whole batch.
 */
export const refuseLargeData: StatementRefusal = {
  on: { check: "contacts_data_size" },
  refuse: () => new Invalid([{ field: "data", code: "too_big", message: dataTooBig }]),
};

/**
 * The maximum size of the data that public keys can give a contact, in bytes: half of the limit, so that servers always
 * have space left.
 */
const maxPublicBytes = maxDataBytes / 2;

/** The maximum number of keys that one call with a public key may send. */
const maxPublicKeys = 64;

/** Whether the merge of the current row of `contacts` with the patch fits the limit. */
export function fitsMerged(patch: JsonObject): SQL {
  return sql`(${isSmall(patch)} OR octet_length(${mergedData(patch)}) <= ${maxDataBytes})`;
}

/**
 * Whether the data is certainly small enough, judged without a merge. SQLite writes some numbers in a longer form than
 * they were sent in, hence the wide margin.
 */
function isSmall(patch: JsonObject): SQL {
  return sql`octet_length(contacts.data) < ${maxPublicBytes / 2 - utf8Bytes(JSON.stringify(patch))}`;
}

/** Whether a public key may merge the patch into the data of the current row of `contacts`. */
export function fitsPublic(patch: JsonObject): SQL {
  const merged = sql`octet_length(${mergedData(patch)})`;
  return sql`(${isSmall(patch)} OR ${merged} <= ${maxPublicBytes} OR ${merged} <= octet_length(contacts.data))`;
}

/**
 * Enforces the limits on data from public keys: the whole batch fails with Invalid. If answers to public keys must
 * reveal nothing, a contact whose data would become too large keeps its data instead, because a refusal would reveal
 * that the contact exists.
 */
export function guardPublicData(ctx: Context, { contacts, data: { patch, own } }: ContactChange): Statement[] {
  if (ctx.keyKind === "secret" || Object.keys(own).length === 0) return [];
  if (Object.keys(own).length > maxPublicKeys) {
    throw tooMuch(`A call with a public key takes ${maxPublicKeys} keys of data`);
  }
  const message = `With a public key, the data of one contact can have at most ${maxPublicBytes} bytes of JSON`;
  if (utf8Bytes(JSON.stringify(patch)) > maxPublicBytes) throw tooMuch(message);
  if (!mayLearnIds(ctx)) return [];
  const isFilled = sql`SELECT 1 FROM ${named(ctx, JSON.stringify(contacts))} WHERE NOT ${fitsPublic(patch)}`;
  return [guard(sql`NOT EXISTS (${isFilled})`, () => tooMuch(message))];
}

function tooMuch(message: string): Invalid {
  return new Invalid([{ field: "data", code: "too_big", message }]);
}

/** Joins a JSON array of items with the existing contacts at their addresses. */
export function named(ctx: Context, items: string): SQL {
  return sql`json_each(${items}) r
    CROSS JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'`;
}

/**
 * Returns, as a text such as "ada@example.com and 3 more", the contacts whose data would have become too large. NULL
 * when there are none. For use after an upsert with `whenFull: "keep"`.
 */
export function whoIsFull(ctx: Context, { contacts, data: { patch } }: Pick<ContactChange, "contacts" | "data">): SQL {
  return sql`(SELECT min(contacts.email) || iif(count(*) > 1, ' and ' || (count(*) - 1) || ' more', '')
    FROM ${named(ctx, JSON.stringify(contacts))} WHERE NOT ${fitsMerged(patch)})`;
}
