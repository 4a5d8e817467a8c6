import { html } from "hono/html";
import { framed, type Html } from "../../http/page";
import { type Pause, pauses } from "./schema";

/** The person who reads the page, and the sender who wrote to them. */
export interface Reader {
  sender: string;
  email: string;
}

/** English only for now. */
function page(title: string, main: Html): Html {
  return framed({ title, style: stylePath, main, isPersonal: true });
}

export const stylePath = "/preferences.css";

/** Asks first, because scanners of mail follow links too. */
export function askToUnsubscribe({ sender, email }: Reader): Html {
  return page(
    `Unsubscribe from ${sender}`,
    html`<p class="sender" dir="auto">${sender}</p>
<h1>Unsubscribe?</h1>
<p>We will stop sending marketing email to <bdi class="address">${email}</bdi>. Mail about things you ask for yourself, such as receipts, still reaches you.</p>
<form method="post"><button class="main">Unsubscribe</button></form>
<p class="quiet">If you do nothing, everything stays as it is.</p>`,
  );
}

export function unsubscribed({ sender, email }: Reader, managePath: string): Html {
  return page(
    "You are unsubscribed",
    html`<p class="sender" dir="auto">${sender}</p>
<h1>You are unsubscribed</h1>
<p><bdi class="address">${email}</bdi> gets no more marketing email from <bdi>${sender}</bdi>.</p>
<p>Was that a mistake? <a href="${managePath}">Change your preferences</a>.</p>`,
  );
}

export function askToSubscribe({ sender, email }: Reader): Html {
  return page(
    `Subscribe to ${sender}`,
    html`<p class="sender" dir="auto">${sender}</p>
<h1>Subscribe?</h1>
<p>You will get email from <bdi>${sender}</bdi> at <bdi class="address">${email}</bdi>. You can unsubscribe at any time with the link in every email.</p>
<form method="post"><button class="main">Subscribe</button></form>
<p class="quiet">If you do nothing, everything stays as it is.</p>`,
  );
}

export function subscribed({ sender, email }: Reader, managePath: string): Html {
  return page(
    "You are subscribed",
    html`<p class="sender" dir="auto">${sender}</p>
<h1>You are subscribed</h1>
<p><bdi class="address">${email}</bdi> gets email from <bdi>${sender}</bdi>.</p>
<p>Changed your mind? <a href="${managePath}">Change your preferences</a>.</p>`,
  );
}

/** A recipient's subscription; "unsaid" when they were never subscribed and never unsubscribed. */
export type Standing = { is: "subscribed" | "unsubscribed" | "unsaid" } | { is: "snoozed"; until: number };

/** The result of the button that they pressed. */
export type Outcome = "saved" | "unclear" | "refused";

const outcomes: Record<Outcome, string> = {
  saved: "Your choice is saved.",
  unclear: "Nothing was changed, because your choice was not clear. Please press one of the buttons below.",
  refused:
    "That is not possible: no marketing email is sent to this address. If you would like to get it, write to the sender.",
};

/** Shows the current state, and the buttons that change it. */
export function manage({ sender, email }: Reader, standing: Standing, outcome: Outcome | null): Html {
  return page(
    `Email from ${sender}`,
    html`<p class="sender" dir="auto">${sender}</p>
<h1>Your email preferences</h1>
${outcome === null ? "" : html`<p class="outcome" role="status">${outcomes[outcome]}</p>`}
<dl>
<div><dt>Address</dt><dd><bdi class="address">${email}</bdi></dd></div>
<div><dt>Marketing email</dt><dd>${inWords(standing)}</dd></div>
</dl>
${choicesOf(standing)}
<p class="quiet">Mail about things you ask for yourself, such as receipts, is not affected by this.</p>`,
  );
}

/** Only the day, because an hour would need the reader's time zone. */
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function inWords(standing: Standing): string {
  switch (standing.is) {
    case "subscribed":
      return "Subscribed";
    case "snoozed":
      return `Paused until ${day.format(standing.until)}`;
    case "unsubscribed":
      return "Unsubscribed";
    case "unsaid":
      return "Not subscribed";
  }
}

function choicesOf(standing: Standing): Html {
  switch (standing.is) {
    case "subscribed":
      return html`${pauseForm}
<form method="post"><button name="action" value="unsubscribe">Unsubscribe</button></form>`;
    case "snoozed":
      return html`<p>After that, it starts again by itself.</p>
<form method="post"><button class="main" name="action" value="unsnooze">Resume now</button><button name="action" value="unsubscribe">Unsubscribe for good</button></form>`;
    case "unsubscribed":
      return html`<form method="post"><button class="main" name="action" value="subscribe">Subscribe again</button></form>`;
    case "unsaid":
      return html`<form method="post"><button class="main" name="action" value="subscribe">Subscribe</button><button name="action" value="unsubscribe">Unsubscribe</button></form>`;
  }
}

const pauseWords: Record<Pause, string> = { "14d": "2 weeks", "1m": "1 month", "3m": "3 months", "6m": "6 months" };

const pauseForm = html`<form method="post">
<input type="hidden" name="action" value="snooze">
<fieldset>
<legend>Pause marketing email for</legend>
${pauses.map((pause) => html`<button name="duration" value="${pause}">${pauseWords[pause]}</button>`)}
</fieldset>
</form>
<p class="quiet">After the pause, it starts again by itself.</p>`;

export function badLink(): Html {
  return page(
    "This link does not work",
    html`<h1>This link does not work</h1>
<p>It may be incomplete, or belong to something that no longer exists. Open it again from the email itself, and make sure that no part of it is missing.</p>
<p>If it still does not work, reply to the email and ask its sender to unsubscribe you.</p>`,
  );
}
