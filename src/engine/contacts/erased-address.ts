import { type SQL, sql } from "drizzle-orm";
import { type Statement, statement } from "../../db/statement";
import { addressHash } from "../../platform/address-hash";
import type { Context } from "../../platform/context";

/**
 * Who comes back after an erasure, by whatever way contacts are created, is suppressed and opted out as before: the
 * hashes of their addresses are looked up where the contacts are written. What was remembered is then back in its rows,
 * and the hash is forgotten. So a hash is only kept of an address that no contact has.
 */

/** Contacts with the hashes of their addresses: 100,000 take a second. */
export function withHashes<T extends { email: string }>(ctx: Context, contacts: T[]): (T & { hash: string })[] {
  return contacts.map((contact) => ({ ...contact, hash: addressHash(ctx.project, contact.email) }));
}

/** For the query of the contacts to be written: what is remembered of each address, as `erased`. */
export function joinErased(ctx: Context, hash: SQL): SQL {
  return sql`LEFT JOIN erased_addresses erased ON erased.project_id = ${ctx.project.number} AND erased.hash = ${hash}`;
}

/**
 * What a new contact of that query is. Only an explicit yes of the call is more than what the person said before they
 * were erased.
 */
export function bornAs(
  ctx: Context,
  { subscribed, subscribedByDefault }: { subscribed: boolean | null; subscribedByDefault: boolean },
): { subscribed: SQL; optedOutAt: SQL; optedOutBy: SQL } {
  if (subscribed === true) return { subscribed: sql`true`, optedOutAt: sql`NULL`, optedOutBy: sql`NULL` };
  const leftNow = subscribed === false ? ctx.now.getTime() : null;
  return {
    subscribed: sql`(${subscribed ?? subscribedByDefault} AND erased.opted_out_at IS NULL)`,
    optedOutAt: sql`coalesce(erased.opted_out_at, ${leftNow})`,
    optedOutBy: sql`CASE WHEN erased.opted_out_at IS NULL THEN ${leftNow === null ? null : "API"} ELSE erased.opted_out_by END`,
  };
}

/** Puts back what was remembered, right behind the statements that write the contacts. `items` is a JSON array of `{ email, hash }`. */
export function restoreErased(
  ctx: Context,
  { items, onlyIf = sql`true` }: { items: string; onlyIf?: SQL },
): Statement[] {
  const now = ctx.now.getTime();
  return [
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        SELECT ${ctx.project.number}, r.value->>'email', erased.suppressed_reason, ${now}
        FROM json_each(${items}) r
        CROSS JOIN erased_addresses erased ON erased.project_id = ${ctx.project.number} AND erased.hash = r.value->>'hash'
        WHERE erased.suppressed_reason IS NOT NULL AND ${onlyIf}
        ON CONFLICT DO NOTHING`,
    ),
    statement(
      sql`DELETE FROM erased_addresses WHERE project_id = ${ctx.project.number}
        AND hash IN (SELECT value->>'hash' FROM json_each(${items})) AND ${onlyIf}`,
    ),
  ];
}
