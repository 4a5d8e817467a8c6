import type { Notice } from "../../core/mail/notices/notice";

/** A call to `POST /hooks/{provider}`, before anybody knows whether the provider made it. */
export interface ReportCall {
  header(name: string): string | undefined;
  body: string;
}

/**
 * Reads what a provider reports. Throws Untrusted for a call that the provider did not make; null for one that
 * says nothing of a mail's fate.
 */
export type Reporter = (call: ReportCall) => Promise<Notice | null>;
