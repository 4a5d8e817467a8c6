import { z } from "zod";
import { storable } from "../storable";
import { escapedHtml } from "../templating/html";

const maxLength = 150;

/** The preview text of a template or campaign, as callers give it. It may have Liquid. */
export const PreviewText = z
  .string()
  .max(maxLength)
  .refine(...storable)
  .meta({
    description:
      "What inboxes show after the subject: a first line of the HTML that the mail itself does not show. The text part has none.",
  });

const hidden =
  "display:none;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px";

/** Blanks that inboxes show as such: else the beginning of the body would follow in the same line. */
const filler = "&zwnj;&nbsp;".repeat(80);

/** The HTML with its preview text, which is plain text with all values in it. */
export function withPreviewText(html: string, text: string): string {
  if (text.trim() === "") return html;
  const start = startOf(html);
  const line = `<div style="${hidden}" aria-hidden="true">${escapedHtml(text)}${filler}</div>`;
  return html.slice(0, start) + line + html.slice(start);
}

/** Where what a document shows begins: behind its body tag, or else behind its head, or what comes before that. */
function startOf(html: string): number {
  const lower = html.toLowerCase();
  return endOf(lower, "<body") ?? endOf(lower, "</head") ?? endOf(lower, "<html") ?? endOf(lower, "<!doctype") ?? 0;
}

/** The end of the first tag that begins so; null without one. */
function endOf(lower: string, tag: string): number | null {
  const start = lower.indexOf(tag);
  const end = start < 0 ? -1 : lower.indexOf(">", start);
  return end < 0 ? null : end + 1;
}
