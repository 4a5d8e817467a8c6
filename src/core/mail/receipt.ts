import type { Report } from "./status";

/** What a provider said when it was handed a mail. */
export type Receipt =
  /** Taken. `reports` is what it already knows of the mail's fate. */
  | { kind: "accepted"; providerMessageId: string; reports: Report[] }
  /** 429 or 5xx: not taken, worth another try. */
  | { kind: "busy"; reason: string; retryAfterMs?: number }
  /** Any other refusal: it will not be taken, however often it is tried. */
  | { kind: "refused"; reason: string }
  /** No answer came back, and nobody can say whether it was taken. A call that throws means the same. */
  | { kind: "unknown"; reason: string };
