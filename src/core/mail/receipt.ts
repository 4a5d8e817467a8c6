import { patience, type Verdict } from "./breaker";
import type { Report } from "./status";

/** A provider's answer to a mail. */
export type Receipt =
  /** Accepted. `reports` holds what the provider already knows of the outcome. */
  | { kind: "accepted"; providerMessageId: string; reports: Report[] }
  /** Not accepted, for a reason that passes and is this mail's own. */
  | { kind: "busy"; reason: string; retryAfterMs?: number }
  /** Not accepted, as the provider is in trouble: a 5xx. */
  | { kind: "unavailable"; reason: string; retryAfterMs?: number }
  /** Not accepted, as the account calls faster than it may: a 429. It uses up no try. */
  | { kind: "throttled"; reason: string; retryAfterMs?: number }
  /** Not accepted, as the provider refuses the account, whatever the mail: 401, 403, or sending is paused. */
  | { kind: "blocked"; reason: string }
  /** Not accepted for its own sake: another try would fail too. */
  | { kind: "refused"; reason: string }
  /** No answer arrived, so it is unknown whether the mail was accepted. A call that throws means the same. */
  | { kind: "unknown"; reason: string };

/**
 * Returns the state of the account after a round of calls. `rounds` has the receipts of each call, in the order of the
 * answers. If the account is refused or the provider goes away in the middle of a round, the calls from there on
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
 * Returns the state of the account after calls that were open together: the provider's answer for each mail, or null
 * when its call threw. One answer about a mail shows that the account is served, perhaps too fast.
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
