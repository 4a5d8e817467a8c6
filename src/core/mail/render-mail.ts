import { type Framed, markFor } from "../templating/frame";
import { parseTemplate, renderFramed, renderTemplate } from "../templating/render";
import { type Tracker, withTracking } from "../tracking/track-links";
import { withPreviewText } from "./preview-text";
import type { EmailType } from "./status";
import { textVersion } from "./text-version";
import {
  type FooterWords,
  type ListHeaders,
  type RecipientLinks,
  withFooter,
  withUnsubscribeLine,
  withUnsubscribing,
} from "./unsubscribing";

interface Given {
  type: EmailType;
  subject: string;
  previewText?: string | null;
  body: string;
  variables: Record<string, unknown>;
  links: RecipientLinks | null;
  /** Null for a mail whose opens and clicks are not tracked, and for whoever only looks at it. */
  tracker?: Tracker | null;
  /** The caller's own headers. */
  headers: Record<string, string>;
  list: ListHeaders;
  /** The texts of the footer. */
  words: FooterWords;
}

interface Rendered {
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
}

/** Renders everything that depends on the template, the recipient and the type. */
export function renderMail(given: Given): Rendered {
  const { type, subject, previewText = null, body, variables, links, tracker = null, headers, list, words } = given;
  const rendered = renderFramed(parseTemplate(body, "html"), variables);
  const finished = withUnsubscribing({ type, html: rendered.output, headers, links, list, words });
  const whole = finished.html === rendered.output ? rendered : withFooterIn(rendered, finished.html, links, words);
  const framed = tracker === null ? whole : withTracking(whole, tracker);
  return {
    subject: renderTemplate(parseTemplate(subject, "text"), variables),
    html: previewText === null ? framed.output : withPreview(framed.output, previewText, variables),
    text: withUnsubscribeLine(type, textVersion(framed), links, words),
    headers: finished.headers,
  };
}

/** It goes into the HTML alone: the text part begins with the mail itself. */
function withPreview(html: string, previewText: string, variables: Record<string, unknown>): string {
  return withPreviewText(html, renderTemplate(parseTemplate(previewText, "text"), variables));
}

/** The frame gets the footer that the HTML got, with marks for the recipient's URLs. */
function withFooterIn(
  { frame, values }: Framed,
  output: string,
  links: RecipientLinks | null,
  words: FooterWords,
): Framed {
  if (frame === null || links === null) return { output, frame: null, values };
  const all = [...values];
  const markOf = (url: string) => markFor(url, all) ?? url;
  const marks = { ...links, unsubscribeUrl: markOf(links.unsubscribeUrl), manageUrl: markOf(links.manageUrl) };
  return { output, frame: withFooter(frame, marks, words), values: all };
}
