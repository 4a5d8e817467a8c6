import { html } from "hono/html";

/** A complete piece of HTML, in which all values are escaped. */
export type Html = ReturnType<typeof html>;

interface Frame {
  title: string;
  /** The path of the style sheet. */
  style: string;
  main: Html;
  lang?: string;
  script?: string;
  /** Shown above the page's own content. */
  header?: Html;
  /**
   * Whether the page's URL is a secret of its reader: search engines then do not store it, and no other site receives
   * it as a referrer.
   */
  isPersonal?: boolean;
}

/** Returns a whole page. All our pages have this frame. */
export function framed({ title, style, main, lang = "en", script, header, isPersonal = false }: Frame): Html {
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isPersonal ? personal : ""}<title>${title}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${style}">
${script ? html`<script src="${script}" defer></script>` : ""}</head>
<body>
${header ?? ""}<main>
${main}
</main>
</body>
</html>`;
}

const personal = html`<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
`;
