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

/**
 * Statuses in which a person may send an email again. They include UNKNOWN, although the email may have arrived: the
 * person decides whether to risk that.
 */
export const retryableStatuses = ["FAILED", "UNKNOWN", "CANCELLED"] as const satisfies EmailStatus[];
export type RetryableStatus = (typeof retryableStatuses)[number];

/**
 * How an email with an unknown outcome was settled: by a report, by the provider's answer when it was asked, or by a
 * person.
 */
export const settlers = ["report", "lookup", "person"] as const;
export type Settler = (typeof settlers)[number];

/**
 * A provider's report about an email that it accepted. A soft bounce is final for this email unless it is transient.
 * Transient means that the provider is still trying, or has delivered the mail and got an answer such as "out of
 * office".
 */
export type Report =
  | { kind: "delivered" }
  | { kind: "bounced"; bounceType: "hard"; reason: string }
  | { kind: "bounced"; bounceType: "soft"; reason: string; isTransient?: true }
  | { kind: "complained" };

/** Five kinds of reports, which differ in their effect on an email. */
export const meanings = ["delivered", "transient", "gave up", "hard", "complained"] as const;
export type Meaning = (typeof meanings)[number];

export function meaningOf(report: Report): Meaning {
  if (report.kind !== "bounced") return report.kind;
  if (report.bounceType === "hard") return "hard";
  return report.isTransient ? "transient" : "gave up";
}

/**
 * The statuses that each report can change. Reports only move an email forward: a late or repeated report finds a
 * status that is not listed, and changes nothing. QUEUED is listed because an email is QUEUED again when the answer to
 * its first attempt was lost, and a report about that attempt settles it.
 */
export const movedBy: Record<Meaning, { from: readonly EmailStatus[]; to: EmailStatus | null }> = {
  delivered: { from: ["QUEUED", "SENDING", "SENT", "UNKNOWN"], to: "DELIVERED" },
  transient: { from: [], to: null },
  // DELIVERED is not listed, because a soft bounce after a delivery is only an automatic answer: the mailbox has the
  // mail.
  "gave up": { from: ["QUEUED", "SENDING", "SENT", "UNKNOWN"], to: "BOUNCED" },
  hard: { from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "UNKNOWN"], to: "BOUNCED" },
  complained: {
    from: ["QUEUED", "SENDING", "SENT", "DELIVERED", "OPENED", "CLICKED", "UNKNOWN"],
    to: "COMPLAINED",
  },
};

/** The statuses that a person's open and click can change. A click counts even if no open was reported before. */
export const movedByHit: Record<"open" | "click", { from: readonly EmailStatus[]; to: EmailStatus }> = {
  open: { from: ["SENT", "DELIVERED"], to: "OPENED" },
  click: { from: ["SENT", "DELIVERED", "OPENED"], to: "CLICKED" },
};

/**
 * Whether no more mail may be sent to this address, regardless of the email's status. A soft bounce may be temporary: a
 * full mailbox still has an owner.
 */
export function endsTrust(meaning: Meaning): meaning is "hard" | "complained" {
  return meaning === "hard" || meaning === "complained";
}
