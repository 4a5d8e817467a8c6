import { TextCache } from "../templating/cache";
import { type Framed, hasMark, isStable } from "../templating/frame";

/**
 * The kind of a body: a complete `document`, a `body` element without its document, or a fragment. A `plain` fragment
 * may be displayed in dark mode when the reader prefers it. A `coloured` one stays light, because its dark text would
 * be unreadable on a dark background.
 */
export type BodyKind = "document" | "body" | "plain" | "coloured";

const maxCacheBytes = 4_000_000;
const kinds = new TextCache<BodyKind | null>((frame) => frame.length * 2, maxCacheBytes);

/**
 * Returns the kind of a rendered body. When a recipient's values cannot change the tags of the body, the kind is
 * determined once for its frame (see `Framed`), and reused for all recipients.
 */
export function kindOf({ output, frame }: Framed): BodyKind {
  const known = frame === null ? null : kinds.getOrMake(frame, () => (isStable(frame) ? kindOfHtml(frame) : null));
  return known ?? kindOfHtml(output);
}

function kindOfHtml(html: string): BodyKind {
  if (/<html\b/i.test(html)) return "document";
  if (/<body\b/i.test(html)) return "body";
  return hasColours(html) ? "coloured" : "plain";
}

const styleAttribute = /\sstyle\s*=\s*(?:"([^"]*)|'([^']*))/gi;
const colourElsewhere = /<style\b|\s(?:bgcolor|background|color)\s*=/i;

/**
 * Whether a text colour is set without a background, or the reverse. An element that sets both is readable anywhere.
 */
function hasColours(html: string): boolean {
  if (/prefers-color-scheme/i.test(html)) return false;
  if (colourElsewhere.test(html)) return true;
  for (const [, inDouble, inSingle = ""] of html.matchAll(styleAttribute)) {
    const style = inDouble ?? inSingle;
    // The style contains a recipient's value, which may be any colour.
    if (hasMark(style)) return true;
    if (/(?:^|[;\s])color\s*:/i.test(style) !== /(?:^|[;\s])background(?:-color|-image)?\s*:/i.test(style)) return true;
  }
  return false;
}

/**
 * Puts finished HTML into a document, unless it is one already. Mail programs drop styles that they do not support, so
 * the layout is one column with inline styles, and the style sheet only keeps pictures and tables within a narrow
 * window. The mail program chooses the colours, unless the body sets some.
 */
export function inDocument(html: string, kind: BodyKind, language: string): string {
  switch (kind) {
    case "document":
      return html;
    case "body":
      return `${headOf(kind, language)}${html}</html>`;
    case "plain":
    case "coloured":
      return `${headOf(kind, language)}<body style="margin:0"><div style="${frame}">${html}</div></body></html>`;
  }
}

function headOf(kind: BodyKind, language: string): string {
  const schemes = kind === "coloured" ? "light" : "light dark";
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="${schemes}"><style>img,table{max-width:100%}img[width]{height:auto}</style></head>`;
}

/** The style of our layout's column, which is 600 pixels wide, like most templates. Wider content scrolls. */
const frame =
  "max-width:600px;margin:0 auto;padding:16px;overflow:auto;overflow-wrap:break-word;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
