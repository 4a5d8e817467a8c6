import type { Report } from "../status";

/** What a provider tells of one mail, by itself and later. It may come late, twice, or before the mail is recorded. */
export interface Notice {
  /** As we gave it to the provider; null when it does not come back. */
  tag: string | null;
  providerMessageId: string | null;
  report: Report;
}

export function bounced(bounceType: "hard" | "soft", reasons: (string | null | undefined)[]): Report {
  const reason = reasons.filter(Boolean).join(": ").slice(0, maxReasonLength);
  return { kind: "bounced", bounceType, reason: reason || "The provider gave no reason" };
}

const maxReasonLength = 500;
