import { html } from "hono/html";
import type { Html } from "../../http/page";
import type { OutboxPage, ShownMail } from "./browse";
import { badge, noSubject, page, timeAgo } from "./page";

interface Given {
  /** The filters as the reader typed them. */
  to: string | undefined;
  subject: string | undefined;
  /** The origin of this installation. */
  origin: string;
  now: Date;
}

/** `/outbox`: the newest emails. */
export function listPage({ mails, nextBefore, version }: OutboxPage, { to, subject, origin, now }: Given): Html {
  const isFiltered = to !== undefined || subject !== undefined;
  const filters = { ...(to ? { to } : {}), ...(subject ? { subject } : {}) };
  const older = nextBefore && `/outbox?${new URLSearchParams({ ...filters, before: nextBefore })}`;
  return page(
    "Outbox · Petrel",
    html`<div class="head">
<div>
<h1>Outbox</h1>
<p>Mail stays here for you to read. Nothing is sent. New mail appears automatically.</p>
</div>
${mails.length > 0 || isFiltered ? filter({ to, subject }, mails) : ""}
</div>
<div id="mails" data-version="${version}">
${mails.length > 0 ? html`<ol class="mails">${mails.map((mail) => row(mail, now))}</ol>` : nothing({ to, subject }, origin)}
${older ? html`<p class="more"><a class="button" href="${older}">Older emails</a></p>` : ""}
${mails.length > 0 ? emptyForm : ""}
</div>`,
    { script: "/outbox/live.js" },
  );
}

type Filters = Pick<Given, "to" | "subject">;

function filter({ to, subject }: Filters, mails: OutboxPage["mails"]): Html {
  const addresses = [...new Set(mails.map((mail) => mail.toEmail))];
  return html`<form class="filter" action="/outbox" role="search">
<label for="to">Recipient</label>
<input id="to" name="to" value="${to ?? ""}" list="addresses" inputmode="email" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="ada@example.com">
<datalist id="addresses">${addresses.map((address) => html`<option value="${address}"></option>`)}</datalist>
<label for="subject">Subject</label>
<input id="subject" name="subject" value="${subject ?? ""}" autocomplete="off" placeholder="receipt">
<button>Filter</button>
${to || subject ? html`<a href="/outbox">Show all</a>` : ""}
</form>`;
}

function row(mail: ShownMail, now: Date): Html {
  return html`
<li>
<div class="who"><div dir="auto">${mail.to}</div><span>from <bdi>${mail.from}</bdi></span></div>
<div class="what"><a href="/outbox/${mail.id}" dir="auto">${mail.subject || noSubject}</a><span dir="auto">${snippet(mail)}</span></div>
<div class="when"><div>${badge(mail.state)} ${timeAgo(mail.createdAt, now)}</div><span dir="auto">${mail.projectName}</span></div>
</li>`;
}

function snippet({ text }: ShownMail): string {
  return (text ?? "").slice(0, 1000).replace(/\s+/g, " ").trim().slice(0, 160);
}

function nothing({ to, subject }: Filters, origin: string): Html {
  if (subject) {
    return html`<section class="note">
<h2>No mail with “<bdi>${subject}</bdi>” in its subject</h2>
<p>The search covers the newest 1,000 emails${to ? html` to <bdi>${to}</bdi>` : ""}.</p>
</section>`;
  }
  if (to) {
    return html`<section class="note">
<h2>No mail to <bdi>${to}</bdi></h2>
<p>The filter takes a whole address, such as ada@example.com.</p>
</section>`;
  }
  return html`<section class="note">
<h2>No mail yet</h2>
<p>Send the first one: put your secret key into this line and run it. <code>npm start</code> prints it with the key filled in.</p>
<pre tabindex="0"><code>${curlLine(origin)}</code></pre>
</section>`;
}

/** Returns an example call on several lines, which is readable on a phone and ready to paste. */
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

// The button is hidden until the section around it is opened. That extra click replaces the question "are you sure?",
// which would need a script.
const emptyForm = html`<details class="empty">
<summary>Empty the outbox</summary>
<form method="post" action="/outbox/empty"><p>Deletes all stored mail of all projects. Email records stay.</p><button>Delete all mail</button></form>
</details>`;
