import { patience, type Verdict } from "./breaker";
import type { Report } from "./status";

/** A provider's answer to an email. */
export type Receipt =
  /** Accepted. `reports` contains what the provider already knows about the outcome. */
  | { kind: "accepted"; providerMessageId: string; reports: Report[] }
  /** Not accepted, for a temporary reason that concerns this email only. */
  | { kind: "busy"; reason: string; retryAfterMs?: number }
  /** Not accepted, because the provider has a problem: a 5xx. */
  | { kind: "unavailable"; reason: string; retryAfterMs?: number }
  /** Not accepted, because the account exceeds its rate: a 429. The call does not count as an attempt. */
  | { kind: "throttled"; reason: string; retryAfterMs?: number }
  /** Not accepted, because the provider refuses the account, regardless of the mail: 401, 403, or sending is paused. */
  | { kind: "blocked"; reason: string }
  /** Not accepted because of the mail itself: another attempt would fail too. */
  | { kind: "refused"; reason: string }
  /** No answer arrived, so it is unknown whether the mail was accepted. A call that throws means the same. */
  | { kind: "unknown"; reason: string };

/**
 * Returns the state of the account after a round of calls. `calls` contains the receipts of each call, in the order of
 * the answers. If the account is refused or the provider fails in the middle of a round, the calls from that point on
 * decide.
 */
export function verdictOfRound(calls: readonly (readonly (Receipt | null)[])[]): Verdict {
  const kinds = calls.map((receipts) => verdictOf(receipts, 1).kind);
  const stoppedAt = kinds.findIndex((kind) => kind === "throttled" || kind === "blocked");
  const silentFrom = kinds.lastIndexOf("answered") + 1;
  const from = stoppedAt >= 0 ? stoppedAt : calls.length - silentFrom >= patience ? silentFrom : 0;
  const last = calls.slice(from);
  return verdictOf(last.flat(), last.length);
}

/**
 * Returns the state of the account after calls that were open at the same time. `round` contains the provider's answer
 * for each email, or null when the call with that mail threw. A single answer about an email shows that the provider
 * still serves the account, even if it throttles other calls.
 */
export function verdictOf(round: readonly (Receipt | null)[], calls: number): Verdict {
  if (round.length === 0) return { kind: "unused" };
  const isServed = round.some((receipt) => receipt !== null && isAboutMail(receipt));
  const isBlocked = round.some((receipt) => receipt?.kind === "blocked");
  if (isBlocked && !isServed) return { kind: "blocked" };
  const asked = round.flatMap((receipt) => (receipt?.kind === "throttled" ? [receipt.retryAfterMs ?? 0] : []));
  if (isBlocked || asked.length > 0) return { kind: "throttled", askedMs: Math.max(0, ...asked) };
  return isServed ? { kind: "answered" } : { kind: "failed", calls };
}

function isAboutMail({ kind }: Receipt): boolean {
  return kind !== "unavailable" && kind !== "throttled" && kind !== "blocked";
}
