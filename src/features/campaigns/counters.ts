import type { Counts } from "../../core/campaigns/counts";

/** The counters that a campaign and its statistics have in common, as callers see them. */
export function countersJson({ sent, delivered, opened, clicked, bounced }: Counts) {
  return {
    sentCount: sent,
    deliveredCount: delivered,
    openedCount: opened,
    clickedCount: clicked,
    bouncedCount: bounced,
  };
}

/** The rows of the ledger: each counts as one of these. */
export function totalOf({ queued, sent, failed, suppressed, cancelled, unknown }: Counts): number {
  return queued + sent + failed + suppressed + cancelled + unknown;
}
