import { dayMs, hourMs, minuteMs } from "../time";

/**
 * How long a verified domain stays verified while its checks fail, so that an outage of a resolver or provider does not
 * stop mail.
 */
export const graceMs = 72 * hourMs;

/**
 * The wait between the checks of a new domain. It is slightly less than the five minutes between ticks of cron, so that
 * a domain checked shortly after one tick is due at the next.
 */
const quickPaceMs = 4 * minuteMs;
const verifiedPaceMs = 59 * minuteMs;
const slowestPaceMs = dayMs;
/**
 * How long a pending domain is checked on every tick of cron. After that it is checked hourly, and then gradually less
 * often, down to daily.
 */
const eagerMs = 3 * dayMs;

export interface DomainState {
  status: "PENDING" | "VERIFIED" | "FAILED";
  verifiedAt: number | null;
  /** When a verified domain's checks began to fail; null once a check passes. */
  failingSince: number | null;
  createdAt: number;
}

export interface CheckedDomain {
  status: "PENDING" | "VERIFIED";
  verifiedAt: number | null;
  failingSince: number | null;
  nextCheckAt: number;
}

/** Returns the state of a domain after a check that had a result. */
export function afterCheck(before: DomainState, passes: boolean, now: number): CheckedDomain {
  const wasVerified = before.status === "VERIFIED";
  if (passes) {
    const verifiedAt = wasVerified ? (before.verifiedAt ?? now) : now;
    return { status: "VERIFIED", verifiedAt, failingSince: null, nextCheckAt: now + verifiedPaceMs };
  }
  if (!wasVerified) {
    const { failingSince } = before;
    return { status: "PENDING", verifiedAt: null, failingSince, nextCheckAt: now + pendingPaceMs(before, now) };
  }
  const failingSince = before.failingSince ?? now;
  if (now - failingSince < graceMs) {
    return { status: "VERIFIED", verifiedAt: before.verifiedAt, failingSince, nextCheckAt: now + verifiedPaceMs };
  }
  return { status: "PENDING", verifiedAt: null, failingSince, nextCheckAt: now + verifiedPaceMs };
}

function pendingPaceMs({ createdAt, failingSince }: DomainState, now: number): number {
  const waitedMs = now - (failingSince ?? createdAt);
  return waitedMs < eagerMs ? quickPaceMs : Math.min(waitedMs / 72, slowestPaceMs);
}
