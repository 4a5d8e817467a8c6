import type { Batch } from "../../db/batch";
import type { Context } from "../../platform/context";
import type { AttentionItem } from "./schema";

/**
 * Looks for one kind of problem. It adds statements to the batch, and returns a function that turns their rows into
 * items after the commit. All checks therefore share one round trip.
 */
export type AttentionCheck = (ctx: Context, batch: Batch) => () => AttentionItem[];

/** The maximum number of items of one kind that are listed. */
export const maxItems = 20;

/** The number of days for which failures are shown. */
export const shownDays = 7;
