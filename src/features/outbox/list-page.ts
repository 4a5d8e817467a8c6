import { html } from "hono/html";
import type { OutboxPage, ShownMail } from "./browse";
import { type Html, noSubject, page, timeAgo } from "./page";

interface Given {
  /** The filter as typed. */
  to: string | undefined;
  /** The origin of this installation. */
  origin: string;
  now: Date;
}

/** `/outbox`: the newest mails. */
export function listPage({ mails, nextBefore }: OutboxPage, { to, origin, now }: Given): Html {
  const older = nextBefore && `/outbox?${new URLSearchParams({ ...(to ? { to } : {}), before: nextBefore })}`;
  return page(
    "Outbox · Petrel",
    html`<div class="head">
<div>
<h1>Outbox</h1>
<p>Mail is kept here for you to read. Nothing is sent.</p>
</div>
${mails.length > 0 || to ? filter(to, mails) : ""}
</div>
${mails.length > 0 ? html`<ol class="mails">${mails.map((mail) => row(mail, now))}</ol>` : nothing(to, origin)}
${older ? html`<p class="more"><a class="button" href="${older}">Older mails</a></p>` : ""}
${mails.length > 0 ? emptyForm : ""}`,
  );
}

function filter(to: string | undefined, mails: OutboxPage["mails"]): Html {
  const addresses = [...new Set(mails.map((mail) => mail.toEmail))];
  return html`<form class="filter" action="/outbox" role="search">
<label for="to">Recipient</label>
<input id="to" name="to" value="${to ?? ""}" list="addresses" inputmode="email" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="ada@example.com">
<datalist id="addresses">${addresses.map((address) => html`<option value="${address}"></option>`)}</datalist>
<button>Filter</button>
${to ? html`<a href="/outbox">Show all</a>` : ""}
</form>`;
}

function row(mail: ShownMail, now: Date): Html {
  return html`
<li>
<div class="who"><div dir="auto">${mail.to}</div><span>from <bdi>${mail.from}</bdi></span></div>
<div class="what"><a href="/outbox/${mail.id}" dir="auto">${mail.subject || noSubject}</a><span dir="auto">${snippet(mail)}</span></div>
<div class="when">${timeAgo(mail.createdAt, now)}<span dir="auto">${mail.projectName}</span></div>
</li>`;
}

function snippet({ text }: ShownMail): string {
  return (text ?? "").slice(0, 1000).replace(/\s+/g, " ").trim().slice(0, 160);
}

function nothing(to: string | undefined, origin: string): Html {
  if (to) {
    return html`<section class="note">
<h2>No mail to <bdi>${to}</bdi></h2>
<p>The filter takes a whole address, such as ada@example.com.</p>
</section>`;
  }
  return html`<section class="note">
<h2>No mail yet</h2>
<p>Send the first one: put your secret key into this line and run it, then reload this page. <code>npm start</code> prints it with the key filled in.</p>
<pre tabindex="0"><code>${curlLine(origin)}</code></pre>
</section>`;
}

/** On several lines, readable on a phone and ready to paste. */
function curlLine(origin: string): string {
  return `curl ${origin}/v1/send \\
  -H 'Authorization: Bearer YOUR_SECRET_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "to": "ada@example.com",
    "from": "hello@petrel.test",
    "subject": "Welcome to Petrel",
    "body": "<p>Hi {{ name ?? \\"there\\" }}, your mail works.</p>",
    "data": { "name": "Ada" }
  }'`;
}

// Opening it replaces the question "are you sure?", without a script.
const emptyForm = html`<details class="empty">
<summary>Empty the outbox</summary>
<form method="post" action="/outbox/empty"><p>Deletes all stored mail of all projects. Email records stay.</p><button>Delete all mail</button></form>
</details>`;
