import { z } from "zod";
import { storable } from "../storable";
import { escapedHtml } from "../templating/html";

const maxLength = 150;

/** The preview text of a template or campaign, as callers send it. It may contain Liquid. */
export const PreviewText = z
  .string()
  .max(maxLength)
  .refine(...storable)
  .meta({
    description:
      "The text that inboxes show after the subject. It is a hidden first line of the HTML; the text part does not contain it.",
  });

const hidden =
  "display:none;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px";

/**
 * Invisible padding that inboxes show as space. Without the padding, they would continue the line with the beginning of
 * the body.
 */
const filler = "&zwnj;&nbsp;".repeat(80);

/** Returns the HTML with its preview text, which is plain text with all values filled in. */
export function withPreviewText(html: string, text: string): string {
  if (text.trim() === "") return html;
  const start = startOf(html);
  const line = `<div style="${hidden}" aria-hidden="true">${escapedHtml(text)}${filler}</div>`;
  return html.slice(0, start) + line + html.slice(start);
}

/**
 * Returns where the visible content of a document begins: after its body tag, or otherwise after its head or whatever
 * precedes the content.
 */
function startOf(html: string): number {
  const lower = html.toLowerCase();
  return endOf(lower, "<body") ?? endOf(lower, "</head") ?? endOf(lower, "<html") ?? endOf(lower, "<!doctype") ?? 0;
}

/** Returns the end of the first tag that begins with `tag`; null when there is none. */
function endOf(lower: string, tag: string): number | null {
  const start = lower.indexOf(tag);
  const end = start < 0 ? -1 : lower.indexOf(">", start);
  return end < 0 ? null : end + 1;
}
