import { html } from "hono/html";

/** A finished piece of HTML: every value in it was escaped. */
type Html = ReturnType<typeof html>;

/** Who reads the page, and who wrote to them. */
export interface Reader {
  sender: string;
  email: string;
}

/** In English only for now. */
function page(title: string, main: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<main>
${main}
</main>
</body>
</html>`;
}

export const stylePath = "/preferences.css";

/** Asks before anything happens: scanners of mail follow links too. */
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
<p>You will get email from <bdi>${sender}</bdi> at <bdi class="address">${email}</bdi>. You can leave at any time by a link in every mail.</p>
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

/** What a recipient has said: nothing, when they were never subscribed and never left either. */
export type Standing = "subscribed" | "unsubscribed" | "unsaid";

const standings: Record<Standing, string> = {
  subscribed: "Subscribed",
  unsubscribed: "Unsubscribed",
  unsaid: "Not subscribed",
};

const subscribeButton = html`<button class="main" name="action" value="subscribe">Subscribe</button>`;
const unsubscribeButton = html`<button name="action" value="unsubscribe">Unsubscribe</button>`;

/** How it stands, and the buttons that change it. Pausing for a while comes with snoozing. */
export function manage({ sender, email }: Reader, standing: Standing, isChanged: boolean): Html {
  return page(
    `Email from ${sender}`,
    html`<p class="sender" dir="auto">${sender}</p>
<h1>Your email preferences</h1>
${isChanged ? html`<p class="done" role="status">Your choice is saved.</p>` : ""}
<dl>
<div><dt>Address</dt><dd><bdi class="address">${email}</bdi></dd></div>
<div><dt>Marketing email</dt><dd>${standings[standing]}</dd></div>
</dl>
<form method="post">${standing === "subscribed" ? "" : subscribeButton}${standing === "unsubscribed" ? "" : unsubscribeButton}</form>
<p class="quiet">Mail about things you ask for yourself, such as receipts, does not depend on this.</p>`,
  );
}

export function badLink(): Html {
  return page(
    "This link does not work",
    html`<h1>This link does not work</h1>
<p>It may have been cut off on its way, or what it belongs to is gone. Open it again from the email itself, without leaving anything out.</p>
<p>If it still does not work, reply to the email and ask its sender to unsubscribe you.</p>`,
  );
}
