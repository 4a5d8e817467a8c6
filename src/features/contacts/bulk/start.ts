import { type Id, newId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import type { BulkInput, BulkState } from "./bulk-job";
import { firstMatching, readMatching } from "./matching";
import type { BulkContacts, BulkOperation } from "./schema";

/**
 * Implements `POST /contacts/bulk-subscribe`, `-unsubscribe` and `-delete`. Throws Invalid when the condition names
 * something unknown.
 */
export async function startBulk(ctx: Context, operation: BulkOperation, contacts: BulkContacts): Promise<Id> {
  const id = newId();
  const { input, state } = await jobOf(ctx, operation, contacts);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(insertJob(ctx, { id, type: "contacts.bulk", input, state }));
  await batch.commit();
  await announceJob(ctx, "contacts.bulk", id);
  return id;
}

async function jobOf(
  ctx: Context,
  operation: BulkOperation,
  contacts: BulkContacts,
): Promise<{ input: BulkInput; state: BulkState }> {
  if ("contactIds" in contacts) return { input: { operation, ...contacts }, state: { done: 0 } };
  const matching = await readMatching(ctx, contacts.matching);
  return { input: { operation, ...matching }, state: { after: firstMatching } };
}
