import type { Counts } from "../../core/campaigns/counts";

/** Returns the counters that a campaign and its statistics share, as callers see them. */
export function countersJson({ sent, delivered, opened, clicked, bounced }: Counts) {
  return {
    sentCount: sent,
    deliveredCount: delivered,
    openedCount: opened,
    clickedCount: clicked,
    bouncedCount: bounced,
  };
}

/** Returns the number of a campaign's emails. Each email counts in exactly one of these counters. */
export function totalOf({ queued, sent, failed, suppressed, cancelled, unknown }: Counts): number {
  return queued + sent + failed + suppressed + cancelled + unknown;
}
