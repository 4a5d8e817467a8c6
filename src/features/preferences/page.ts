import type { Context as HonoContext } from "hono";
import { html } from "hono/html";
import { filledIn, type Language, splitAtValues } from "../../core/languages/language";
import { framed, type Html } from "../../http/page";
import type { AppEnv } from "../../http/router";
import type { ChoiceOutcome } from "./subscription-state";

/** The person who reads the page, and the sender who wrote to them. */
export interface Reader {
  sender: string;
  email: string;
  language: Language;
}

export const stylePath = "/preferences.css";

export function page({ language }: { language: Language }, title: string, main: Html): Html {
  return framed({ title, style: stylePath, main, lang: language.tag, isPersonal: true });
}

/** Fills the sender's name into the title of a page, without markup. */
export function titled({ sender }: Reader, text: string): string {
  return filledIn(text, { sender });
}

/**
 * Fills the reader's address, the sender and further values into a text. Each value is isolated from the direction of
 * the text (left to right, or right to left).
 */
export function say({ sender, email }: Reader, text: string, values: Record<string, Html | string> = {}): Html {
  const all: Record<string, Html | string> = {
    sender: html`<bdi>${sender}</bdi>`,
    address: html`<bdi class="address">${email}</bdi>`,
    ...values,
  };
  return html`${splitAtValues(text).map((piece, at) => (at % 2 === 0 ? piece : (all[piece] ?? "")))}`;
}

export function senderLine({ sender }: Reader): Html {
  return html`<p class="sender" dir="auto">${sender}</p>`;
}

/** Shows "Was that a mistake?" and similar questions, with a link to all the choices. */
export function manageLink(reader: Reader, text: string, managePath: string): Html {
  const link = html`<a href="${managePath}">${reader.language.words.common.change}</a>`;
  return html`<p>${say(reader, text, { link })}</p>`;
}

/** Shows the outcome of the button that was pressed; nothing if the reader has not pressed a button yet. */
export function outcomeLine({ language }: Reader, outcome: ChoiceOutcome | null): Html | string {
  return outcome === null ? "" : html`<p class="outcome" role="status">${language.words.outcome[outcome]}</p>`;
}

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Sends a page with headers that protect its URL, which is a secret of the recipient: no search engine, cache or other
 * site may learn it.
 */
export function show(c: HonoContext<AppEnv>, page: Html, status: 200 | 404 | 409 | 410 | 422 | 503 = 200) {
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Robots-Tag", "noindex, nofollow");
  c.header("Cache-Control", "no-store");
  return c.html(page, status);
}
