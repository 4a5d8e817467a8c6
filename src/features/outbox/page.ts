import { html } from "hono/html";
import type { EmailStatus } from "../../core/mail/status";
import { framed, type Html } from "../../http/page";
import type { MailState } from "./mail-state";

export const noSubject = "(no subject)";

const header = html`<header class="bar">
<a class="brand" href="/outbox"><img src="/favicon.svg" alt="" width="28" height="28">Petrel</a>
<a href="/docs">Documents</a>
</header>
`;

/** Frames every page of the outbox. */
export function page(title: string, main: Html, { script }: { script?: string } = {}): Html {
  return framed({ title, style: "/outbox/style.css", header, main, ...(script ? { script } : {}) });
}

/** Shows that an email does not exist, or no longer does. */
export function missingPage(): Html {
  return page(
    "Not in the outbox",
    html`<section class="note">
<h1>This email is not in the outbox</h1>
<p>The outbox was emptied, or the address of this page is incomplete.</p>
<p><a href="/outbox">See all emails</a></p>
</section>`,
  );
}

const failures = new Set<EmailStatus>(["BOUNCED", "COMPLAINED", "FAILED", "SUPPRESSED", "CANCELLED", "UNKNOWN"]);

/** Shows the status of an email from its email's record. */
export function badge(state: MailState | null): Html | "" {
  if (state === null) return "";
  const { status, error } = state;
  // Mail that waits for a retry has an error with the provider's reason.
  const isAlarming = failures.has(status) || error !== null;
  return html`<b class="${isAlarming ? "badge alarm" : "badge"}" title="${error ?? status}">${status.toLowerCase()}</b>`;
}

/** Formats a time in words; its title has the exact time. */
export function timeAgo(at: string, now: Date): Html {
  return html`<time datetime="${at}" title="${exactTime(at)}">${ago(new Date(at), now)}</time>`;
}

export function exactTime(at: string): string {
  exact ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" });
  return `${exact.format(new Date(at))} UTC`;
}

// Created on first use, because loading the first language takes as long as creating some hundred schemas.
let exact: Intl.DateTimeFormat | undefined;
let relative: Intl.RelativeTimeFormat | undefined;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats how long ago a time was. Mail of a project with a test clock may be dated in the real future. */
function ago(at: Date, now: Date): string {
  const passedMs = now.getTime() - at.getTime();
  const awayMs = Math.abs(passedMs);
  const inUnits = (ms: number, unit: "minute" | "hour" | "day") => {
    relative ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    return relative.format(-Math.trunc(passedMs / ms), unit);
  };
  if (awayMs < minuteMs) return "just now";
  if (awayMs < hourMs) return inUnits(minuteMs, "minute");
  if (awayMs < dayMs) return inUnits(hourMs, "hour");
  return inUnits(dayMs, "day");
}
