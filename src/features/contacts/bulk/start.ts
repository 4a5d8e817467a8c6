import { type Id, newId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import type { BulkInput, BulkState } from "./bulk-job";

/** Implements `POST /contacts/bulk-subscribe`, `-unsubscribe` and `-delete`. */
export async function startBulk(ctx: Context, input: BulkInput): Promise<Id> {
  const id = newId();
  const state: BulkState = { done: 0 };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(insertJob(ctx, { id, type: "contacts.bulk", input: { ...input }, state }));
  await batch.commit();
  await announceJob(ctx, "contacts.bulk", id);
  return id;
}
