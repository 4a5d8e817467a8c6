import { type SQL, sql } from "drizzle-orm";
import { mayLearnIds } from "../../core/idempotency";
import type { JsonObject } from "../../core/json";
import { changesData, mergedData } from "../../db/merge-data";
import { inProject } from "../../db/scope";
import { noRows, type Statement, statement } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import { type Context, clockOf } from "../../platform/context";
import { insertEvents } from "../events/record";
import type { ContactChange } from "./contact-change";
import { upsertCounts } from "./counts";
import { fitsMerged, fitsPublic, guardPublicData, named, refuseLargeData } from "./data-limit";
import { bornAs, joinErased, restoreErased, withHashes } from "./erased-address";
import { insertFieldTypes } from "./field-types";
import { changesSubscription, subscribedAfter, subscribing } from "./opt-out";
import { nameOfFlip } from "./subscription";

/**
 * Returns the statements that create or change contacts. They share a batch with the statements that depend on them.
 * Nothing is read first, so there are no races. The order of the statements matters: the events compare with the state
 * before the change.
 */
export function upsertContacts(ctx: Context, change: ContactChange): Statement[] {
  return [
    ...(change.subscribed === null ? [] : [insertFlipEvents(ctx, change, change.subscribed)]),
    ...insertFieldTypes(ctx, change.data.types, change.onlyIf),
    ...guardPublicData(ctx, change),
    ...upsertRows(ctx, change),
  ];
}

function insertFlipEvents(ctx: Context, change: ContactChange, subscribed: boolean): Statement {
  const name = nameOfFlip(subscribed);
  const rows = sql`SELECT contacts.project_id, ${name} AS name, contacts.id AS contact_id, NULL AS email_id, '{}' AS data
    FROM ${named(ctx, JSON.stringify(change.contacts))}
    WHERE ${change.onlyIf} AND contacts.subscribed <> ${subscribedAfter(ctx, subscribed)}`;
  return insertEvents(ctx, { rows, isPublic: sql`${change.source === "PUBLIC"}`, tail: change.tail });
}

function upsertRows(ctx: Context, change: ContactChange): Statement[] {
  const { data, onlyIf, subscribed, source } = change;
  const now = ctx.now.getTime();
  const items = JSON.stringify(withHashes(ctx, change.contacts));
  const born = bornAs(ctx, change);
  const update = updateOf(ctx, change);
  const after = subscribed === null ? sql`contacts.subscribed` : subscribedAfter(ctx, subscribed);
  const counts = upsertCounts(
    sql`SELECT ${ctx.project.number} AS project_id, contacts.id IS NULL AS contacts,
        CASE WHEN contacts.id IS NULL THEN ${born.subscribed} ELSE ${after} - contacts.subscribed END AS subscribed
      FROM json_each(${items}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
      LEFT JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'
      WHERE ${onlyIf} AND (contacts.id IS NULL OR ${update?.isDue ?? sql`false`})`,
  );
  return [
    statement(
      sql`INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, clock, source, data, created_at,
          updated_at)
        SELECT ${ctx.project.number}, r.value->>'id', r.value->>'email', ${born.subscribed}, ${born.optedOutAt},
          ${born.optedOutBy}, ${clockOf(ctx)}, ${source}, ${JSON.stringify(withoutNulls(data.patch))}, ${now}, ${now}
        FROM json_each(${items}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
        WHERE ${onlyIf}
        ON CONFLICT (project_id, email) ${whenItExists(update, now)}`,
      noRows,
      { before: [counts], refusals: [refuseLargeData] },
    ),
    ...restoreErased(ctx, { items, onlyIf }),
  ];
}

/**
 * The assignments to the current row of `contacts`, and the condition under which they are made. Without the condition,
 * unchanged rows would be written.
 */
interface RowChange {
  sets: SQL;
  isDue: SQL;
}

/** Collects all changes that a call may make to a contact; null when there are none. */
function updateOf(ctx: Context, change: ContactChange): RowChange | null {
  const changes = [
    ...dataChange(ctx, change),
    ...(change.subscribed === null ? [] : [subscriptionChange(ctx, change.subscribed)]),
    ...sourceChange(change.source),
  ];
  if (changes.length === 0) return null;
  const [sets, isDue] = [changes.map((one) => one.sets), changes.map((one) => one.isDue)];
  return { sets: sql.join(sets, sql`, `), isDue: sql`(${sql.join(isDue, sql` OR `)})` };
}

function whenItExists(update: RowChange | null, now: number): SQL {
  if (update === null) return sql`DO NOTHING`;
  return sql`DO UPDATE SET ${update.sets}, version = contacts.version + 1, updated_at = max(contacts.updated_at, ${now})
    WHERE ${update.isDue}`;
}

function dataChange(ctx: Context, { data: { patch }, whenFull }: ContactChange): RowChange[] {
  if (Object.keys(patch).length === 0) return [];
  const isRefused = whenFull === "refuse" && mayLearnIds(ctx);
  if (isRefused) return [{ sets: sql`data = ${mergedData(patch)}`, isDue: changesData(patch) }];
  const fits = mayLearnIds(ctx) ? fitsMerged(patch) : fitsPublic(patch);
  const merged = sql`CASE WHEN ${fits} THEN ${mergedData(patch)} ELSE contacts.data END`;
  return [{ sets: sql`data = ${merged}`, isDue: sql`(${changesData(patch)} AND ${fits})` }];
}

function subscriptionChange(ctx: Context, subscribed: boolean): RowChange {
  const isDue = changesSubscription(ctx, subscribed);
  if (subscribed) return { sets: subscribing(ctx), isDue };
  // Only a contact that is subscribed or snoozed opts out by this change.
  const hasLeft = sql`contacts.subscribed OR contacts.snoozed_until IS NOT NULL`;
  const sets = sql`subscribed = false, snoozed_until = NULL,
    opted_out_at = CASE WHEN ${hasLeft} THEN ${ctx.now.getTime()} ELSE contacts.opted_out_at END,
    opted_out_by = CASE WHEN ${hasLeft} THEN 'API' ELSE contacts.opted_out_by END`;
  return { sets, isDue };
}

function sourceChange(source: ContactRow["source"]): RowChange[] {
  if (source === "PUBLIC") return [];
  return [
    {
      sets: sql`source = iif(contacts.source = 'PUBLIC', ${source}, contacts.source)`,
      isDue: sql`contacts.source = 'PUBLIC'`,
    },
  ];
}

function withoutNulls(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
}
