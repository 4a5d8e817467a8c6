import type { Notice } from "../../core/mail/notices/notice";
import type { ReceivedMail } from "../../core/mail/notices/received";

/** A call to `POST /hooks/{provider}`, not yet verified. */
export interface ReportCall {
  header(name: string): string | undefined;
  body: string;
}

/** What a provider tells us. */
export type Told =
  | { kind: "report"; notice: Notice }
  | { kind: "received"; mail: ReceivedMail }
  /** Nothing that means anything here, by the provider's name for it. */
  | { kind: "other"; name: string };

/**
 * Reads a provider's call. Throws Untrusted for one that the provider did not make. Returns null when it was about the
 * subscription itself.
 */
export type Reporter = (call: ReportCall) => Promise<Told | null>;
