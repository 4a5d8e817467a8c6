import type { Report } from "../status";

/** A provider's report of one mail. It may come late, twice, or before the mail is recorded. */
export interface Notice {
  /** The tag that we gave the provider; null when the report lacks it. */
  tag: string | null;
  providerMessageId: string | null;
  /** The provider's name for this report: the same when it is repeated. */
  id?: string | null;
  report: Report;
}

type Reasons = (string | null | undefined)[];

/** The address does not take mail, now or later. */
export function hardBounce(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "hard", reason: reasonIn(reasons) };
}

/** The provider does not try this mail again, and the recipient is not to blame. */
export function gaveUp(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "soft", reason: reasonIn(reasons) };
}

/** The provider still tries, or the mailbox has the mail and answered by itself. */
export function transient(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "soft", reason: reasonIn(reasons), isTransient: true };
}

function reasonIn(reasons: Reasons): string {
  return reasons.filter(Boolean).join(": ").slice(0, maxReasonLength) || "The provider gave no reason";
}

const maxReasonLength = 500;
