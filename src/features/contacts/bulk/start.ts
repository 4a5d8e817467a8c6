import { newId } from "../../../core/ids";
import { commit } from "../../../db/commit";
import { announceJob, recordJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import type { BulkInput, BulkState } from "./bulk-job";

/** `POST /contacts/bulk-subscribe`, `-unsubscribe` and `-delete`. */
export async function startBulk(ctx: Context, input: BulkInput): Promise<string> {
  const id = newId();
  const state: BulkState = { done: 0 };
  await commit(ctx.db, [recordJob(ctx, { id, type: "contacts.bulk", input: { ...input }, state })]);
  await announceJob(ctx, "contacts.bulk", id);
  return id;
}
