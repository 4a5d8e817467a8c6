import { isAutomatedAgent } from "../../tracking/automated";
import type { Report } from "../status";

/** A provider's report about one email. It may arrive late, twice, or before the mail is recorded. */
export interface Notice {
  /** The tag that we gave the provider; null when the report lacks it. */
  tag: string | null;
  providerMessageId: string | null;
  /** The provider's id of this report, which is the same when the report is repeated. */
  id?: string | null;
  report: Report | ReportedHit;
  /** The addresses of the mail, for providers whose reports cannot have our tag. */
  addresses?: { sender: string; recipient: string };
}

/** An open or click that the provider tracked itself. */
export interface ReportedHit {
  kind: "open" | "click";
  /** Null when the report does not contain the time. */
  at: number | null;
  link?: string;
  isAutomated: boolean;
}

export function isReportedHit(report: Notice["report"]): report is ReportedHit {
  return report.kind === "open" || report.kind === "click";
}

/** The fields in a provider's report. */
interface ReportedFields {
  timestamp?: string | null;
  link?: string | null;
  userAgent?: string | null;
}

export function openedBy({ timestamp, userAgent }: ReportedFields): ReportedHit {
  return { kind: "open", at: timeIn(timestamp), isAutomated: isAutomatedAgent(userAgent ?? null) };
}

const maxLinkLength = 2_000;

/** Returns the hit of a click, which counts even when the report does not name its link. */
export function clickedBy({ timestamp, link, userAgent }: ReportedFields): ReportedHit {
  const clicked = { kind: "click" as const, at: timeIn(timestamp), isAutomated: isAutomatedAgent(userAgent ?? null) };
  return link ? { ...clicked, link: link.slice(0, maxLinkLength) } : clicked;
}

function timeIn(timestamp: string | null | undefined): number | null {
  const at = Date.parse(timestamp ?? "");
  return Number.isNaN(at) || at < 0 ? null : at;
}

type Reasons = (string | null | undefined)[];

/** Reports that the address does not accept mail, now or later. */
export function hardBounce(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "hard", reason: reasonIn(reasons) };
}

/** Reports that the provider has stopped trying to deliver this email, and that the recipient is not to blame. */
export function gaveUp(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "soft", reason: reasonIn(reasons) };
}

/** Reports that the provider is still trying, or that the mailbox has accepted the mail and answered automatically. */
export function transient(reasons: Reasons): Report {
  return { kind: "bounced", bounceType: "soft", reason: reasonIn(reasons), isTransient: true };
}

function reasonIn(reasons: Reasons): string {
  return reasons.filter(Boolean).join(": ").slice(0, maxReasonLength) || "The provider gave no reason";
}

const maxReasonLength = 500;
