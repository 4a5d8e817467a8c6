import { parseTemplate, renderTemplate } from "../templating/render";
import { plainText } from "./plain-text";
import type { EmailType } from "./status";
import { type RecipientLinks, withUnsubscribeLine, withUnsubscribing } from "./unsubscribing";

interface Given {
  type: EmailType;
  subject: string;
  body: string;
  variables: Record<string, unknown>;
  links: RecipientLinks | null;
  /** The caller's own headers. */
  headers: Record<string, string>;
  feedbackId: string;
}

interface Rendered {
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
}

/** Renders everything that depends on the template, the recipient and the type. */
export function renderMail({ type, subject, body, variables, links, headers, feedbackId }: Given): Rendered {
  const rendered = renderTemplate(parseTemplate(body, "html"), variables);
  const finished = withUnsubscribing({ type, html: rendered, headers, links, feedbackId });
  return {
    subject: renderTemplate(parseTemplate(subject, "text"), variables),
    html: finished.html,
    text: withUnsubscribeLine(type, plainText(finished.html), links),
    headers: finished.headers,
  };
}
