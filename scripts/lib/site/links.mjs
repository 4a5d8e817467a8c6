import { dirname, join, relative } from "node:path";
import { ROOT } from "../paths.mjs";
import { pageNameOf } from "./outline.mjs";

const DOCS = join(ROOT, "docs");

/**
 * Returns where a link of a page leads on the site: `{ name, anchor }` of a page, `{ url }` outside, or null for a
 * repository file that is not a page.
 */
export function targetOf(page, href, names) {
  if (/^[a-z]+:/.test(href) || href.startsWith("/")) return { url: href };
  const [path, anchor = ""] = href.split("#");
  if (path === "") return { name: page.name, anchor };
  const name = pageNameOf(relative(DOCS, join(dirname(page.file), path)));
  return names.has(name) ? { name, anchor } : null;
}

/** Returns the address of a target, with `.md` for programs that read Markdown. */
export function addressOf({ name, anchor, url }, ending = "") {
  if (url !== undefined) return url;
  const path = name === "index" && ending === "" ? "/docs" : `/docs/${name}${ending}`;
  return anchor ? `${path}#${anchor}` : path;
}

/** Returns the source of a page with its links as on the site. Code stays unchanged. */
export function markdownOf(page, names) {
  const parts = page.source.split(/(^ *```[\s\S]*?^ *```|`[^`\n]*`)/m);
  return parts
    .map((part, place) =>
      place % 2 === 1
        ? part
        : part.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, text, href) => {
            const target = targetOf(page, href, names);
            return target ? `[${text}](${addressOf(target, ".md")})` : text;
          }),
    )
    .join("");
}
