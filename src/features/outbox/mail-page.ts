import { html } from "hono/html";
import type { Html } from "../../http/page";
import type { ShownMail } from "./browse";
import { badge, exactTime, noSubject, page, timeAgo } from "./page";

// A source with attachments can have many megabytes. This many characters are enough to read; the download is complete.
const maxSourceShown = 50_000;

/** `/outbox/{id}`: one email with all its parts. */
export function mailPage(mail: ShownMail, { withImages, now }: { withImages: boolean; now: Date }): Html {
  const subject = mail.subject || noSubject;
  return page(
    `${subject} · Outbox`,
    html`<p class="back"><a href="/outbox">← All emails</a></p>
<h1 dir="auto">${subject}</h1>
<dl class="facts">
<div><dt>From</dt><dd dir="auto">${mail.from}</dd></div>
<div><dt>To</dt><dd dir="auto">${mail.to}</dd></div>
${mail.replyTo ? html`<div><dt>Reply to</dt><dd dir="auto">${mail.replyTo}</dd></div>` : ""}
${mail.state ? html`<div><dt>Status</dt><dd>${badge(mail.state)} ${mail.state.error ?? ""}</dd></div>` : ""}
<div><dt>Received</dt><dd>${timeAgo(mail.createdAt, now)} <small>${exactTime(mail.createdAt)}</small></dd></div>
<div><dt>Project</dt><dd dir="auto">${mail.projectName}</dd></div>
<div><dt>Email id</dt><dd><code>${mail.emailId}</code></dd></div>
</dl>
<nav class="parts" aria-label="Parts of this email">
<a href="#html">HTML</a><a href="#text">Text</a><a href="#headers">Headers</a>
${mail.attachments.length > 0 ? html`<a href="#attachments">Attachments</a>` : ""}<a href="#source">Source</a>
</nav>
${htmlPart(mail, withImages)}
${textPart(mail)}
${headersPart(mail)}
${mail.attachments.length > 0 ? attachmentsPart(mail) : ""}
${sourcePart(mail)}`,
  );
}

function htmlPart({ id, html: mailHtml }: ShownMail, withImages: boolean): Html {
  if (mailHtml === null) return part("html", "HTML", html`<p class="none">This email has no HTML part.</p>`);
  const hints = [
    /\bhref\b/i.test(mailHtml) ? "Links open in a new tab. " : "",
    !withImages && hasForeignImages(mailHtml)
      ? html`Images from other hosts are not loaded: <a href="/outbox/${id}?images=load">load them</a>.`
      : "",
  ];
  // The frame can run no script and submit no form, and it has no origin. Links open in a new tab. The response of the
  // frame sets the same rules.
  return part(
    "html",
    "HTML",
    html`<label class="narrow"><input type="checkbox">Phone width (390 px)</label>
<iframe title="The mail's HTML" sandbox="${frameSandbox}" src="/outbox/${id}/html${withImages ? "?images=load" : ""}"></iframe>
<p class="hint">${hints}</p>`,
  );
}

/** The permissions of an email's frame. */
export const frameSandbox = "allow-popups allow-popups-to-escape-sandbox";

/**
 * Whether the mail seems to load images from elsewhere. This only decides whether the page offers to load them; the
 * frame's Content-Security-Policy decides what is loaded.
 */
function hasForeignImages(mailHtml: string): boolean {
  return /\b(?:src|srcset|background)\s*=\s*["']?(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\//i.test(mailHtml);
}

function textPart({ text }: ShownMail): Html {
  const shown =
    text === null
      ? html`<p class="none">This email has no text part.</p>`
      : html`<pre dir="auto">${linked(text)}</pre>`;
  return part("text", "Text", shown);
}

/** Turns web addresses into links. */
function linked(text: string): (string | Html)[] {
  // Every second piece of the split is an address.
  return text
    .split(/(https?:\/\/[^\s<>"'()[\]{}]+[^\s<>"'()[\]{}.,;:!?])/)
    .map((piece, index) =>
      index % 2 === 0 ? piece : html`<a href="${piece}" target="_blank" rel="noopener noreferrer">${piece}</a>`,
    );
}

function headersPart({ headers }: ShownMail): Html {
  return part(
    "headers",
    "Headers",
    html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody>${headers.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody>
</table>`,
  );
}

function attachmentsPart({ attachments }: ShownMail): Html {
  return part(
    "attachments",
    "Attachments",
    html`<table>
<thead><tr><th scope="col">File</th><th scope="col">Type</th><th scope="col">Size</th></tr></thead>
<tbody>${attachments.map(
      ({ filename, contentType, size }) =>
        html`<tr><th scope="row" dir="auto">${filename ?? "(no name)"}</th><td>${contentType}</td><td>${sizeText(size)}</td></tr>`,
    )}</tbody>
</table>`,
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function sourcePart({ id, raw }: ShownMail): Html {
  const isCut = raw.length > maxSourceShown;
  return part(
    "source",
    "Source",
    html`<p class="hint">${isCut ? "Only the beginning is shown. " : ""}<a href="/outbox/${id}/source.eml">Download as .eml</a></p>
<details><summary>Show the MIME source</summary><pre tabindex="0">${raw.slice(0, maxSourceShown)}</pre></details>`,
  );
}

function part(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}</section>`;
}
