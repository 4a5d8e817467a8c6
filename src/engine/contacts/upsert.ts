import { type SQL, sql } from "drizzle-orm";
import type { DataChange } from "../../core/contacts/data";
import type { JsonObject } from "../../core/json";
import { mergedData } from "../../db/merge-data";
import { refusable, type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { insertEvents } from "../events/record";
import { refuseLargeData } from "./data-limit";
import { bornAs, joinErased, restoreErased, withHashes } from "./erased-address";

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
export function upsertContacts(ctx: Context, change: ContactChange): Statement[] {
  return [
    ...(change.subscribed === null ? [] : [insertFlipEvents(ctx, change, change.subscribed)]),
    ...insertFieldTypes(ctx, change.data.types, change.onlyIf),
    ...upsertRows(ctx, change),
  ];
}

function insertFlipEvents(ctx: Context, change: ContactChange, subscribed: boolean): Statement {
  const name = subscribed ? "contact.subscribed" : "contact.unsubscribed";
  const rows = sql`SELECT c.project_id, ${name} AS name, c.id AS contact_id, NULL AS email_id, '{}' AS data
    FROM json_each(${JSON.stringify(change.contacts)}) r
    CROSS JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value->>'email'
    WHERE ${change.onlyIf} AND c.subscribed <> ${subscribed}`;
  return insertEvents({ rows, at: ctx.now.getTime() });
}

/** The first type that the project sees of a key stays. None when there are no keys. */
export function insertFieldTypes(ctx: Context, types: DataChange["types"], onlyIf: SQL): Statement[] {
  if (Object.keys(types).length === 0) return [];
  return [
    statement(
      sql`INSERT INTO contact_fields (project_id, key, type, created_at)
        SELECT ${ctx.project.id}, key, value, ${ctx.now.getTime()} FROM json_each(${JSON.stringify(types)})
        WHERE ${onlyIf}
        ON CONFLICT DO NOTHING`,
    ),
  ];
}

function upsertRows(ctx: Context, change: ContactChange): Statement[] {
  const { data, onlyIf } = change;
  const now = ctx.now.getTime();
  const items = JSON.stringify(withHashes(ctx, change.contacts));
  const { subscribed, optedOutAt } = bornAs(ctx, change);
  return [
    refusable(
      sql`INSERT INTO contacts (id, project_id, email, subscribed, opted_out_at, data, created_at, updated_at)
        SELECT r.value->>'id', ${ctx.project.id}, r.value->>'email', ${subscribed}, ${optedOutAt},
          ${JSON.stringify(withoutNulls(data.patch))}, ${now}, ${now}
        FROM json_each(${items}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
        WHERE ${onlyIf}
        ON CONFLICT (project_id, email) ${whenItExists(data.patch, change.subscribed, now)}`,
      refuseLargeData,
    ),
    ...restoreErased(ctx, { items, onlyIf }),
  ];
}

function whenItExists(patch: JsonObject, subscribed: boolean | null, now: number): SQL {
  const changes: SQL[] = [];
  if (Object.keys(patch).length > 0) changes.push(sql`data = ${mergedData(patch)}`);
  if (subscribed !== null) {
    changes.push(sql`subscribed = ${subscribed}`, sql`snoozed_until = NULL`);
    // Only a flip makes someone leave, or the end of a snooze: who was merely never subscribed did not opt out.
    changes.push(
      subscribed
        ? sql`opted_out_at = NULL`
        : sql`opted_out_at = CASE WHEN contacts.subscribed OR contacts.snoozed_until IS NOT NULL THEN ${now}
            ELSE contacts.opted_out_at END`,
    );
  }
  if (changes.length === 0) return sql`DO NOTHING`;
  return sql`DO UPDATE SET ${sql.join(changes, sql`, `)}, version = contacts.version + 1,
    updated_at = max(contacts.updated_at, ${now})`;
}

function withoutNulls(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
}
