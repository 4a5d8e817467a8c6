export const emailTypes = ["TRANSACTIONAL", "MARKETING", "HEADLESS"] as const;
export type EmailType = (typeof emailTypes)[number];

export type EmailSource = "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST";

export const emailStatuses = [
  "QUEUED",
  "SENDING",
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "BOUNCED",
  "COMPLAINED",
  "FAILED",
  "SUPPRESSED",
  "CANCELLED",
  "UNKNOWN",
] as const;
export type EmailStatus = (typeof emailStatuses)[number];

/** A provider's report of an email that it accepted. */
export type Report =
  | { kind: "delivered" }
  | { kind: "bounced"; bounceType: "hard" | "soft"; reason: string }
  | { kind: "complained" };

/**
 * The statuses that each report can change. Reports only move an email forward: a late or repeated report finds a
 * status that is not listed, and changes nothing. QUEUED is listed because a mail whose first try was lost waits there
 * for the next one, and a report of the first try settles it.
 */
export const movedBy: Record<Report["kind"], { from: readonly EmailStatus[]; to: EmailStatus }> = {
  delivered: { from: ["QUEUED", "SENDING", "SENT", "UNKNOWN"], to: "DELIVERED" },
  bounced: { from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "UNKNOWN"], to: "BOUNCED" },
  complained: {
    from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "OPENED", "CLICKED", "UNKNOWN"],
    to: "COMPLAINED",
  },
};
