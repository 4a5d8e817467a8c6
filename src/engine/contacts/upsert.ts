import { type SQL, sql } from "drizzle-orm";
import type { DataChange } from "../../core/contacts/data";
import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { changesData, mergedData } from "../../db/merge-data";
import { noRows, type Statement, statement } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { insertEvents } from "../events/record";
import { upsertCounts } from "./counts";
import { refuseLargeData } from "./data-limit";
import { bornAs, joinErased, restoreErased, withHashes } from "./erased-address";
import { insertFieldTypes } from "./field-types";

/** The effect of one call on the contacts it names. */
export interface ContactChange {
  /** Distinct addresses, each with the id for a new contact. */
  contacts: { id: Id; email: string }[];
  data: DataChange;
  /** Null leaves the subscription of existing contacts unchanged. */
  subscribed: boolean | null;
  /** The subscription of a new contact when the call does not set it. */
  subscribedByDefault: boolean;
  /** The source of a new contact. */
  source: ContactRow["source"];
  /** The condition under which anything is written at all. */
  onlyIf: SQL;
}

/**
 * The statements that create or change contacts. They share a batch with the statements that depend on them, and have
 * no races, because nothing is read first. Their order matters: the events compare with the state before the change.
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
    CROSS JOIN contacts c ON c.project_id = ${ctx.project.number} AND c.email = r.value->>'email'
    WHERE ${change.onlyIf} AND c.subscribed <> ${subscribed}`;
  return insertEvents(ctx, { rows });
}

function upsertRows(ctx: Context, change: ContactChange): Statement[] {
  const { data, onlyIf, subscribed, source } = change;
  const now = ctx.now.getTime();
  const items = JSON.stringify(withHashes(ctx, change.contacts));
  const born = bornAs(ctx, change);
  const isChanged = whatChanges(data.patch, subscribed);
  const counts = upsertCounts(
    sql`SELECT ${ctx.project.number} AS project_id, contacts.id IS NULL AS contacts,
        CASE WHEN contacts.id IS NULL THEN ${born.subscribed}
          ELSE ${subscribed ?? sql`contacts.subscribed`} - contacts.subscribed END AS subscribed
      FROM json_each(${items}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
      LEFT JOIN contacts ON contacts.project_id = ${ctx.project.number} AND contacts.email = r.value->>'email'
      WHERE ${onlyIf} AND (contacts.id IS NULL OR ${isChanged})`,
  );
  return [
    statement(
      sql`INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, source, data, created_at,
          updated_at)
        SELECT ${ctx.project.number}, r.value->>'id', r.value->>'email', ${born.subscribed}, ${born.optedOutAt},
          ${born.optedOutBy}, ${source}, ${JSON.stringify(withoutNulls(data.patch))}, ${now}, ${now}
        FROM json_each(${items}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
        WHERE ${onlyIf}
        ON CONFLICT (project_id, email) ${whenItExists(data.patch, subscribed, { isChanged, now })}`,
      noRows,
      { before: [counts], refusals: [refuseLargeData] },
    ),
    ...restoreErased(ctx, { items, onlyIf }),
  ];
}

/** Whether the call changes the contact of the current row; otherwise nothing is written. */
function whatChanges(patch: JsonObject, subscribed: boolean | null): SQL {
  const ways = [
    ...(Object.keys(patch).length > 0 ? [changesData(patch)] : []),
    ...(subscribed === null
      ? []
      : [sql`contacts.subscribed <> ${subscribed}`, sql`contacts.snoozed_until IS NOT NULL`]),
  ];
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` OR `)})`;
}

function whenItExists(
  patch: JsonObject,
  subscribed: boolean | null,
  { isChanged, now }: { isChanged: SQL; now: number },
): SQL {
  const changes: SQL[] = [];
  if (Object.keys(patch).length > 0) changes.push(sql`data = ${mergedData(patch)}`);
  if (subscribed !== null) {
    const hasLeft = sql`contacts.subscribed OR contacts.snoozed_until IS NOT NULL`;
    changes.push(sql`subscribed = ${subscribed}`, sql`snoozed_until = NULL`);
    // Only a change of `subscribed`, or the end of a snooze, counts as opting out: a contact that was never subscribed
    // did not opt out.
    changes.push(
      subscribed
        ? sql`opted_out_at = NULL, opted_out_by = NULL`
        : sql`opted_out_at = CASE WHEN ${hasLeft} THEN ${now} ELSE contacts.opted_out_at END,
            opted_out_by = CASE WHEN ${hasLeft} THEN 'API' ELSE contacts.opted_out_by END`,
    );
  }
  if (changes.length === 0) return sql`DO NOTHING`;
  return sql`DO UPDATE SET ${sql.join(changes, sql`, `)}, version = contacts.version + 1,
    updated_at = max(contacts.updated_at, ${now}) WHERE ${isChanged}`;
}

function withoutNulls(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
}
