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

/** What a provider tells of an email after it took it. */
export type Report =
  | { kind: "delivered" }
  | { kind: "bounced"; bounceType: "hard" | "soft"; reason: string }
  | { kind: "complained" };

/**
 * The statuses from which a report moves an email on. It only ever moves forward: a late or repeated report finds a
 * status that is not listed and changes nothing. QUEUED counts: a mail whose first try was lost waits there for the
 * next one, and a report of the first settles it.
 */
export const movedBy: Record<Report["kind"], { from: readonly EmailStatus[]; to: EmailStatus }> = {
  delivered: { from: ["QUEUED", "SENDING", "SENT", "UNKNOWN"], to: "DELIVERED" },
  bounced: { from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "UNKNOWN"], to: "BOUNCED" },
  complained: {
    from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "OPENED", "CLICKED", "UNKNOWN"],
    to: "COMPLAINED",
  },
};
