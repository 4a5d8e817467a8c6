import type { Report } from "./status";

/** A provider's answer to a mail. */
export type Receipt =
  /** Accepted. `reports` holds what the provider already knows of the outcome. */
  | { kind: "accepted"; providerMessageId: string; reports: Report[] }
  /** 429 or 5xx: not accepted, worth another try. */
  | { kind: "busy"; reason: string; retryAfterMs?: number }
  /** Any other refusal: another try would fail too. */
  | { kind: "refused"; reason: string }
  /** No answer arrived, so it is unknown whether the mail was accepted. A call that throws means the same. */
  | { kind: "unknown"; reason: string };
