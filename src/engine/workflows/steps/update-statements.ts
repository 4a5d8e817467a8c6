import { type SQL, sql } from "drizzle-orm";
import { type DataChange, maxDataBytes } from "../../../core/contacts/data";
import type { Id } from "../../../core/ids";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { openBatch } from "../../../db/batch";
import { changesData, mergedData } from "../../../db/merge-data";
import { asFlag, asJson, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { noRows, type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { upsertCounts } from "../../contacts/counts";
import { insertFieldTypes } from "../../contacts/field-types";
import { updateSubscription } from "../../contacts/subscription";
import type { Arrival } from "./arrival";

/** A change that an execution is about to make to its contact. */
export interface Planned {
  arrival: Arrival<"UPDATE_CONTACT">;
  effectId: string;
  contactId: Id;
  patch: DataChange["patch"];
  types: DataChange["types"];
  subscribed: boolean | null;
  result: StepOutcome;
  ifOptedOut: StepOutcome;
}

interface Found {
  /** The stored result; null if the effect was never claimed. */
  result: StepOutcome | null;
  isThere: boolean;
}

/**
 * Commits the planned changes, each to a different contact, in one batch. The claims come first; all later statements
 * act only on claims with this batch's token.
 */
export async function writeUpdates(ctx: Context, planned: Planned[], token: string): Promise<Found[]> {
  const items = JSON.stringify(
    planned.map(({ arrival: { causes, isPublic }, types: _, ...change }) => ({ ...change, causes, isPublic })),
  );
  const claimed = sql`json_each(${items}) r CROSS JOIN workflow_effects w ON ${inProject(ctx, "w")}
    AND w.effect_id = r.value->>'effectId' AND w.token = ${token}`;
  const batch = openBatch(ctx);
  // Without a claim nothing was changed.
  batch.recognise(sql`EXISTS (SELECT 1 FROM ${claimed})`);
  batch.add(insertClaims(ctx, items, token));
  for (const subscribed of [true, false]) {
    if (planned.some((change) => change.subscribed === subscribed)) {
      batch.addAll(updateFlipped(ctx, claimed, items, subscribed));
    }
  }
  batch.addAll(
    insertFieldTypes(
      ctx,
      Object.assign({}, ...planned.map(({ types }) => types)),
      sql`EXISTS (SELECT 1 FROM ${claimed})`,
    ),
  );
  batch.add(updateData(ctx, claimed));
  const found = batch.add(
    statement(
      sql`SELECT w.result, c.id IS NOT NULL AS is_there FROM json_each(${keysOf(planned)}) r
        LEFT JOIN workflow_effects w ON ${inProject(ctx, "w")} AND w.effect_id = r.value->>0
        LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>1
        ORDER BY r.key`,
      columns({ result: orNull(asJson<StepOutcome>()), isThere: asFlag }),
    ),
  );
  await batch.commit();
  return found.all;
}

/** Selects the stored results of effects, in the order of the given ids. */
export function selectResults(ctx: Context, effectIds: string[]): Statement<{ result: StepOutcome | null }> {
  return statement(
    sql`SELECT w.result FROM json_each(${JSON.stringify(effectIds)}) r
      LEFT JOIN workflow_effects w ON ${inProject(ctx, "w")} AND w.effect_id = r.value ORDER BY r.key`,
    columns({ result: orNull(asJson<StepOutcome>()) }),
  );
}

function keysOf(planned: Planned[]): string {
  return JSON.stringify(planned.map(({ effectId, contactId }) => [effectId, contactId]));
}

const patch = sql`r.value->'patch'`;

/** Claims the effects. Leaves out contacts that are deleted or whose data would become too large. */
function insertClaims(ctx: Context, items: string, token: string): Statement {
  const isSmall = sql`octet_length(contacts.data) + octet_length(${patch}) < ${maxDataBytes / 2}`;
  return statement(
    sql`INSERT INTO workflow_effects (project_id, effect_id, token, result, created_at)
      SELECT ${ctx.project.number}, r.value->>'effectId', ${token},
        iif(contacts.opted_out_by IS 'PERSON', r.value->'ifOptedOut', r.value->'result'), ${ctx.realClock().getTime()}
      FROM json_each(${items}) r
      CROSS JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.id = r.value->>'contactId'
      WHERE ${isSmall} OR octet_length(${mergedData(patch)}) <= ${maxDataBytes}
      ON CONFLICT DO NOTHING`,
  );
}

/** Changes the subscriptions. Contacts that have unsubscribed themselves stay unsubscribed. */
function updateFlipped(ctx: Context, claimed: SQL, items: string, subscribed: boolean): Statement[] {
  const isMeant = sql`r.value->>'subscribed' = ${subscribed ? 1 : 0}`;
  const given = (value: SQL) =>
    sql`(SELECT ${value} FROM json_each(${items}) r WHERE r.value->>'contactId' = contacts.id)`;
  return updateSubscription(ctx, {
    contactId: sql`SELECT k.id FROM ${claimed}
      CROSS JOIN contacts k ON ${inProject(ctx, "k")} AND k.id = r.value->>'contactId'
      WHERE ${isMeant} ${subscribed ? sql`AND k.opted_out_by IS NOT 'PERSON'` : sql``}`,
    subscribed,
    eventData: {},
    causes: given(sql`r.value->'causes'`),
    isPublic: given(sql`r.value->>'isPublic'`),
    at: ctx.now.getTime(),
  });
}

/**
 * Updates the data of the contacts. The claimed changes are materialized first. Without this, SQLite would keep
 * `contacts` to the left of the CROSS JOIN and scan all contacts of the project.
 */
function updateData(ctx: Context, claimed: SQL): Statement {
  const isMeant = sql`${inProject(ctx, "contacts")} AND contacts.id = r.value->>'contactId'`;
  const changed = sql`change.patch`;
  return statement(
    sql`WITH change AS MATERIALIZED (SELECT r.value->>'contactId' AS contact_id, ${patch} AS patch FROM ${claimed})
      UPDATE contacts SET data = ${mergedData(changed)}, version = version + 1,
        updated_at = max(updated_at, ${ctx.now.getTime()})
      FROM change WHERE ${inProject(ctx, "contacts")} AND contacts.id = change.contact_id
        AND ${changesData(changed)}`,
    noRows,
    {
      before: [
        upsertCounts(
          sql`SELECT contacts.project_id, 0 AS contacts, 0 AS subscribed
            FROM ${claimed} CROSS JOIN contacts ON ${isMeant} WHERE ${changesData(patch)}`,
        ),
      ],
    },
  );
}
