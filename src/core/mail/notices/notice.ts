import type { Report } from "../status";

/** A provider's report of one mail. It may come late, twice, or before the mail is recorded. */
export interface Notice {
  /** The tag that we gave the provider; null when the report lacks it. */
  tag: string | null;
  providerMessageId: string | null;
  report: Report;
}

export function bounced(bounceType: "hard" | "soft", reasons: (string | null | undefined)[]): Report {
  const reason = reasons.filter(Boolean).join(": ").slice(0, maxReasonLength);
  return { kind: "bounced", bounceType, reason: reason || "The provider gave no reason" };
}

const maxReasonLength = 500;
