import { Invalid } from "../../../core/errors";
import { openBatch } from "../../../db/batch";
import { untilFresh } from "../../../db/fresh";
import type { JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { BulkInput, BulkState, type BulkStep, contactsPerStep, resultOf } from "./bulk-job";
import { eraseContacts } from "./erase-contacts";
import { nextMatching } from "./matching";
import { subscribeContacts } from "./subscribe-contacts";

/** Runs one step of `contacts.bulk`. */
export function bulkStep(ctx: Context, row: JobRow): Promise<Step> {
  return untilFresh(() => takeStep(ctx, row), ctx.random);
}

/** Takes one step. Throws Stale if one of its contacts has changed since the step read it. */
async function takeStep(ctx: Context, row: JobRow): Promise<Step> {
  let step: BulkStep | null;
  try {
    step = await nextStep(ctx, row);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return end(ctx, row, { status: "failed", reason: `The condition is no longer valid. ${error.message}` });
  }
  if (step === null) return end(ctx, row, { status: "completed" });
  switch (BulkInput.parse(row.input).operation) {
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

/** Finds the contacts of the next step; null after the last one. */
async function nextStep(ctx: Context, row: JobRow): Promise<BulkStep | null> {
  const input = BulkInput.parse(row.input);
  const state = BulkState.parse(row.state);
  if ("contactIds" in input && "done" in state) return nextListed(input.contactIds, state.done);
  if ("condition" in input && "after" in state) return nextMatching(ctx, input, state.after);
  throw new Error("The state of a bulk job is that of another kind");
}

function nextListed(contactIds: BulkStep["ids"], before: number): BulkStep | null {
  const ids = contactIds.slice(before, before + contactsPerStep);
  const done = before + ids.length;
  const progress = (done / contactIds.length) * 100;
  return ids.length === 0 ? null : { ids, state: { done }, progress, stillMatching: null };
}

async function end(ctx: Context, row: JobRow, how: { status: "completed" | "failed"; reason?: string }): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { ...how, result: resultOf(row) }));
  await batch.commit();
  return "ended";
}
