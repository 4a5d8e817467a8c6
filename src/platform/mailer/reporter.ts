import type { Notice } from "../../core/mail/notices/notice";

/** A call to `POST /hooks/{provider}`, not yet verified. */
export interface ReportCall {
  header(name: string): string | undefined;
  body: string;
}

/**
 * Reads a provider's report. Throws Untrusted for a call that the provider did not make. Returns null for a report that
 * does not concern a mail's outcome.
 */
export type Reporter = (call: ReportCall) => Promise<Notice | null>;
