import type { Language } from "../languages/language";
import { Budget } from "../templating/budget";
import { renderPart } from "../templating/errors";
import { parseTemplate, renderFramed, renderTemplate } from "../templating/render";
import { type Tracker, withTracking } from "../tracking/track-links";
import { inDocument, kindOf } from "./document";
import type { Imprint } from "./imprint";
import { withPreviewText } from "./preview-text";
import type { EmailType } from "./status";
import { textVersion } from "./text-version";
import { type ListHeaders, type RecipientLinks, withUnsubscribeLine, withUnsubscribing } from "./unsubscribing";

interface Given {
  type: EmailType;
  subject: string;
  previewText?: string | null;
  body: string;
  variables: Record<string, unknown>;
  links: RecipientLinks | null;
  /** Null for mail whose opens and clicks are not tracked, and for previews. */
  tracker?: Tracker | null;
  /** The caller's own headers. */
  headers: Record<string, string>;
  list: ListHeaders;
  /** The language of the recipient. */
  language: Language;
  /** The sender's details for the footer. */
  imprint: Imprint;
  /** The budget that all templates of the mail share. */
  budget?: Budget;
}

/**
 * The measured cost of an email without its templates, in units of CPU (see `core/cpu.ts`), when all caches are filled.
 */
const mailUnits = 20_000;

interface Rendered {
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
}

/** Renders everything that depends on the template, the recipient and the type. */
export function renderMail(given: Given): Rendered {
  const { type, subject, previewText = null, body, variables, links, tracker = null, headers, list } = given;
  const { language, imprint, budget = new Budget() } = given;
  budget.note(mailUnits);
  const rendered = renderPart("body", () => renderFramed(parseTemplate(body, "html", budget), variables, budget));
  const kind = kindOf(rendered);
  const footer = { words: language.words.footer, imprint };
  const finished = withUnsubscribing({ type, body: rendered, kind, headers, links, list, footer });
  const framed = tracker === null ? finished.body : withTracking(finished.body, tracker);
  const html = previewText === null ? framed.output : withPreview(framed.output, previewText, variables, budget);
  return {
    subject: renderPart("subject", () => renderTemplate(parseTemplate(subject, "text", budget), variables, budget)),
    html: inDocument(html, kind, language.tag),
    // The text is made from the fragment inside the document, because the document adds no text.
    text: withUnsubscribeLine(type, textVersion(framed, budget), links, footer),
    headers: finished.headers,
  };
}

/** Adds the preview text to the HTML only: the text part begins with the mail itself. */
function withPreview(html: string, previewText: string, variables: Record<string, unknown>, budget: Budget): string {
  const rendered = renderPart("previewText", () =>
    renderTemplate(parseTemplate(previewText, "text", budget), variables, budget),
  );
  return withPreviewText(html, rendered);
}
