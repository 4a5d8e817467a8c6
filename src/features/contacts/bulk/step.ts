import { openBatch } from "../../../db/batch";
import type { JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { BulkInput, BulkState, type BulkStep, resultOf } from "./bulk-job";
import { eraseContacts } from "./erase-contacts";
import { subscribeContacts } from "./subscribe-contacts";

const contactsPerStep = 100;

/** Runs a step of `contacts.bulk`. A single run handles a thousand contacts. */
export async function bulkStep(ctx: Context, row: JobRow): Promise<Step> {
  const { operation, contactIds } = BulkInput.parse(row.input);
  const { done } = BulkState.parse(row.state);
  const ids = contactIds.slice(done, done + contactsPerStep);
  const step: BulkStep = { ids, done: done + ids.length, progress: ((done + ids.length) / contactIds.length) * 100 };
  if (ids.length === 0) return end(ctx, row);
  switch (operation) {
    case "subscribe":
      await subscribeContacts(ctx, row, step, true);
      return "goes on";
    case "unsubscribe":
      await subscribeContacts(ctx, row, step, false);
      return "goes on";
    case "delete":
      await eraseContacts(ctx, row, step);
      return "goes on";
  }
}

async function end(ctx: Context, row: JobRow): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result: resultOf(row) }));
  await batch.commit();
  return "ended";
}
