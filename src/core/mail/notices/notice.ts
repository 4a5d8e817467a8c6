import { isAutomatedAgent } from "../../tracking/automated";
import type { Report } from "../status";

/** A provider's report of one mail. It may come late, twice, or before the mail is recorded. */
export interface Notice {
  /** The tag that we gave the provider; null when the report lacks it. */
  tag: string | null;
  providerMessageId: string | null;
  /** The provider's name for this report: the same when it is repeated. */
  id?: string | null;
  report: Report | ReportedHit;
}

/** An open or click that the provider tracked itself. */
export interface ReportedHit {
  kind: "open" | "click";
  /** Null when the report does not say when. */
  at: number | null;
  link?: string;
  isAutomated: boolean;
}

export function isReportedHit(report: Notice["report"]): report is ReportedHit {
  return report.kind === "open" || report.kind === "click";
}

/** As a provider tells it. */
interface Told {
  timestamp?: string | null;
  link?: string | null;
  userAgent?: string | null;
}

export function openedBy({ timestamp, userAgent }: Told): ReportedHit {
  return { kind: "open", at: timeIn(timestamp), isAutomated: isAutomatedAgent(userAgent ?? null) };
}

const maxLinkLength = 2_000;

/** A click whose link the report does not say is still one. */
export function clickedBy({ timestamp, link, userAgent }: Told): ReportedHit {
  const clicked = { kind: "click" as const, at: timeIn(timestamp), isAutomated: isAutomatedAgent(userAgent ?? null) };
  return link ? { ...clicked, link: link.slice(0, maxLinkLength) } : clicked;
}

function timeIn(timestamp: string | null | undefined): number | null {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) || at < 0 ? null : at;
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
