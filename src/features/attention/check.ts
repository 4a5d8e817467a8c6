import type { Batch } from "../../db/batch";
import type { Context } from "../../platform/context";
import type { AttentionItem } from "./schema";

/**
 * Looks for one kind of things that need attention. It adds its statements to the batch, and returns what makes items of
 * their rows once the batch is committed: so a whole answer is one round trip.
 */
export type AttentionCheck = (ctx: Context, batch: Batch) => () => AttentionItem[];

/** The most items of one kind. */
export const maxItems = 20;

/** How far back failures are shown. */
export const shownDays = 7;
