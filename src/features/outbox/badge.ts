import { html } from "hono/html";
import type { EmailStatus } from "../../core/mail/status";
import type { Html } from "./page";
import type { Standing } from "./standing";

const failures = new Set<EmailStatus>(["BOUNCED", "COMPLAINED", "FAILED", "SUPPRESSED", "CANCELLED", "UNKNOWN"]);

/** The status of a mail, as its record has it. */
export function badge(standing: Standing | null): Html | "" {
  if (standing === null) return "";
  const { status, error } = standing;
  // Mail that waits after a try has the provider's reason.
  const isAlarming = failures.has(status) || error !== null;
  return html`<b class="${isAlarming ? "badge alarm" : "badge"}" title="${error ?? status}">${status.toLowerCase()}</b>`;
}
