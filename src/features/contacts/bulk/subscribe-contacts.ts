import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { inProject } from "../../../db/scope";
import type { Statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { updateSubscription } from "../../../engine/contacts/subscription";
import { guardState, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { type BulkStep, resultOf } from "./bulk-job";

/**
 * Subscribes or unsubscribes the contacts of one step. One batch counts and changes them, with an event for each real
 * change.
 */
export async function subscribeContacts(ctx: Context, row: JobRow, step: BulkStep, subscribed: boolean): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (step.stillMatching) batch.add(step.stillMatching);
  batch.add(updateProgress(ctx, row, step, subscribed));
  batch.addAll(
    updateSubscription(ctx, {
      contactId: sql`SELECT value FROM json_each(${JSON.stringify(step.ids)})`,
      subscribed,
      eventData: {},
      at: ctx.clock().getTime(),
    }),
  );
  await batch.commit();
}

/**
 * Must run before the change, because it counts how many contacts the change will affect, and how many need no change.
 */
function updateProgress(ctx: Context, row: JobRow, step: BulkStep, subscribed: boolean): Statement {
  const { succeeded, unchanged, failed } = resultOf(row);
  // `sent` is the id as the caller sent it, for the errors about ids without a contact.
  const ids = sql`json_each(${JSON.stringify(step.ids.map((id) => ({ id, sent: publicId(id) })))})`;
  const isChanged = sql`(c.subscribed <> ${subscribed} OR c.snoozed_until IS NOT NULL)`;
  return updateState(ctx, row, step.state, step.progress, {
    result: sql`(SELECT json_object('succeeded', ${succeeded} + count(*) FILTER (WHERE ${isChanged}),
        'unchanged', ${unchanged} + count(*) FILTER (WHERE NOT ${isChanged}), 'failed', ${failed + step.ids.length} - count(*))
      FROM ${ids} r CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'id')`,
    errors: sql`(SELECT json_group_array(json(value)) FROM (
      SELECT value FROM json_each(jobs.errors)
      UNION ALL
      SELECT json_object('contactId', r.value->>'sent', 'reason', 'not_found') FROM ${ids} r
      WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE ${inProject(ctx, "c")} AND c.id = r.value->>'id')))`,
  });
}
