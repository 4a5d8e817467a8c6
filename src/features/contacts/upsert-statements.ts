import { type SQL, sql } from "drizzle-orm";
import type { DataChange } from "../../core/contacts/data";
import type { JsonObject } from "../../core/json";
import { statement } from "../../db/commit";
import { mergedData } from "../../db/merge-data";
import type { Context } from "../../platform/context";
import { bornDispatched, eventIdInSql } from "../events/record";

/** What one call does to the contacts it names. */
export interface ContactChange {
  /** Distinct addresses, each with the id it gets if it is new. */
  contacts: { id: string; email: string }[];
  data: DataChange;
  /** Null leaves the subscription of those who exist as it is. */
  subscribed: boolean | null;
  /** What a new contact is when the call does not say. */
  subscribedByDefault: boolean;
  /** The condition under which anything is written at all. */
  onlyIf: SQL;
}

/**
 * The statements that create or change contacts: made to share a batch with what depends on them, and race-free
 * without reading first. Their order matters: the events of a flip compare with the state before it.
 */
export function upsertContacts(ctx: Context, change: ContactChange): D1PreparedStatement[] {
  const isKnownTyped = Object.keys(change.data.types).length === 0;
  return [
    ...(change.subscribed === null ? [] : [recordFlips(ctx, change, change.subscribed)]),
    ...(isKnownTyped ? [] : [recordFieldTypes(ctx, change)]),
    writeContacts(ctx, change),
  ];
}

function recordFlips(ctx: Context, change: ContactChange, subscribed: boolean): D1PreparedStatement {
  const name = subscribed ? "contact.subscribed" : "contact.unsubscribed";
  const now = ctx.now.getTime();
  return statement(
    ctx.db,
    sql`INSERT INTO events (id, project_id, name, contact_id, data, created_at, dispatched_at)
      SELECT ${eventIdInSql(now)}, ${ctx.project.id}, ${name}, c.id, '{}', ${now},
        ${bornDispatched(ctx.project.id, name, now)}
      FROM json_each(${JSON.stringify(change.contacts)}) r
      CROSS JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value->>'email'
      WHERE ${change.onlyIf} AND c.subscribed <> ${subscribed}`,
  );
}

function recordFieldTypes(ctx: Context, change: ContactChange): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`INSERT INTO contact_fields (project_id, key, type, created_at)
      SELECT ${ctx.project.id}, key, value, ${ctx.now.getTime()} FROM json_each(${JSON.stringify(change.data.types)})
      WHERE ${change.onlyIf}
      ON CONFLICT DO NOTHING`,
  );
}

function writeContacts(ctx: Context, change: ContactChange): D1PreparedStatement {
  const { data, subscribed, subscribedByDefault, onlyIf } = change;
  const now = ctx.now.getTime();
  const optedOutAt = subscribed === false ? now : null;
  return statement(
    ctx.db,
    sql`INSERT INTO contacts (id, project_id, email, subscribed, opted_out_at, data, created_at, updated_at)
      SELECT r.value->>'id', ${ctx.project.id}, r.value->>'email', ${subscribed ?? subscribedByDefault}, ${optedOutAt},
        ${JSON.stringify(withoutNulls(data.patch))}, ${now}, ${now}
      FROM json_each(${JSON.stringify(change.contacts)}) r
      WHERE ${onlyIf}
      ON CONFLICT (project_id, email) ${whenItExists(data.patch, subscribed, now)}`,
  );
}

function whenItExists(patch: JsonObject, subscribed: boolean | null, now: number): SQL {
  const changes: SQL[] = [];
  if (Object.keys(patch).length > 0) changes.push(sql`data = ${mergedData(patch)}`);
  if (subscribed !== null) {
    changes.push(sql`subscribed = ${subscribed}`, sql`snoozed_until = NULL`);
    // Only a flip makes someone leave: who was merely never subscribed did not opt out.
    changes.push(
      subscribed
        ? sql`opted_out_at = NULL`
        : sql`opted_out_at = CASE WHEN contacts.subscribed THEN ${now} ELSE contacts.opted_out_at END`,
    );
  }
  if (changes.length === 0) return sql`DO NOTHING`;
  return sql`DO UPDATE SET ${sql.join(changes, sql`, `)}, version = contacts.version + 1, updated_at = ${now}`;
}

function withoutNulls(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
}
