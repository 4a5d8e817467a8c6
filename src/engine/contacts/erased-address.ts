import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";
import { mayLiftOptOuts } from "./opt-out";
import { countAdded } from "./suppression-count";

/**
 * A person who was suppressed or opted out remains so after an erasure, however the contact is created again. For that,
 * the statements that write contacts look up the hashes of addresses. They move the remembered facts back into rows and
 * delete the hash, so hashes exist only for addresses without a contact.
 */

/** Adds to each contact the hash of its address. Hashing 100,000 addresses takes a second. */
export function withHashes<T extends { email: string }>(ctx: Context, contacts: T[]): (T & { hash: string })[] {
  return contacts.map((contact) => ({ ...contact, hash: addressHash(ctx.project, contact.email) }));
}

/** Joins the remembered facts of each address, as `erased`, to the query of the contacts to be written. */
export function joinErased(ctx: Context, hash: SQL): SQL {
  return sql`LEFT JOIN erased_addresses erased ON ${inProject(ctx, "erased")} AND erased.hash = ${hash}`;
}

/**
 * Returns SQL for the subscription of a new contact, for a query with `joinErased`. Only an explicit yes from a server
 * overrides the person's choice from before the erasure.
 */
export function bornAs(
  ctx: Context,
  { subscribed, subscribedByDefault }: { subscribed: boolean | null; subscribedByDefault: boolean },
): { subscribed: SQL; optedOutAt: SQL; optedOutBy: SQL } {
  if (subscribed === true && mayLiftOptOuts(ctx)) {
    return { subscribed: sql`true`, optedOutAt: sql`NULL`, optedOutBy: sql`NULL` };
  }
  const leftNow = subscribed === false ? ctx.now.getTime() : null;
  return {
    subscribed: sql`(${subscribed ?? subscribedByDefault} AND erased.opted_out_at IS NULL)`,
    optedOutAt: sql`coalesce(erased.opted_out_at, ${leftNow})`,
    optedOutBy: sql`CASE WHEN erased.opted_out_at IS NULL THEN ${leftNow === null ? null : "API"} ELSE 'PERSON' END`,
  };
}

/**
 * Suppresses again the erased addresses that were suppressed, and deletes what is remembered about all of `items`, a
 * JSON array of `{ email, hash }`. Must come after the statements that write the contacts, in the same batch, because
 * those statements read what is remembered.
 */
export function restoreErased(
  ctx: Context,
  { items, onlyIf = sql`true` }: { items: string; onlyIf?: SQL },
): Statement[] {
  const now = ctx.now.getTime();
  const suppressed = sql`FROM json_each(${items}) r
    CROSS JOIN erased_addresses erased ON ${inProject(ctx, "erased")} AND erased.hash = r.value->>'hash'
    WHERE erased.suppressed_reason IS NOT NULL AND ${onlyIf}`;
  return [
    countAdded(sql`SELECT erased.project_id, r.value->>'email' AS email ${suppressed}`),
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        SELECT ${ctx.project.number}, r.value->>'email', erased.suppressed_reason, ${now} ${suppressed}
        ON CONFLICT DO NOTHING`,
    ),
    statement(
      sql`DELETE FROM erased_addresses WHERE ${inProject(ctx)}
        AND hash IN (SELECT value->>'hash' FROM json_each(${items})) AND ${onlyIf}`,
    ),
  ];
}
