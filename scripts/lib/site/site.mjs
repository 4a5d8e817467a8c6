import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, transform } from "esbuild";
import { ROOT } from "../paths.mjs";
import { markdownOf } from "./links.mjs";
import { llmsText } from "./llms.mjs";
import { framePage, missingDocument } from "./page.mjs";
import { renderPage } from "./render.mjs";

const CODE = join(ROOT, "clients", "site");

/** Renders the whole site. Returns its files by their names. */
export async function renderSite(pages, sections) {
  const names = new Set(pages.map(({ name }) => name));
  const rendered = pages.map((page) => ({ page, ...renderPage(page, names) }));
  const site = new Map();
  const files = {
    style: add(site, "style", "css", await styleSheet()),
    script: add(site, "site", "js", await script("site.ts")),
    search: add(site, "search", "js", await script("search.ts")),
    index: add(site, "index", "json", JSON.stringify(rendered.flatMap(entriesOf))),
  };
  for (const { page, html, headings } of rendered) {
    site.set(`${page.name}.html`, framePage({ page, html, headings, sections, files }));
    site.set(`${page.name}.md`, markdownOf(page, names));
  }
  site.set("404.html", missingDocument(files));
  site.set("llms.txt", llmsText(pages, sections));
  return site;
}

/** Adds a file whose name contains the hash of its content, so that caches may keep it forever. Returns its address. */
function add(site, name, ending, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const file = `${name}.${hash}.${ending}`;
  site.set(file, content);
  return `/docs/${file}`;
}

/** Returns the search entries of a page: each part under a heading. */
function entriesOf({ page, headings }) {
  return headings.map(({ title, anchor, text }, place) => ({
    path: page.name === "index" ? "/docs" : `/docs/${page.name}`,
    anchor: place === 0 ? "" : anchor,
    page: page.title,
    title: place === 0 ? page.title : title,
    text: text.replaceAll(/\s+/g, " ").trim(),
  }));
}

async function styleSheet() {
  const house = await transform(readFileSync(join(ROOT, "src", "core", "house-style.ts"), "utf8"), { loader: "ts" });
  const { houseStyle } = await import(`data:text/javascript,${encodeURIComponent(house.code)}`);
  const own = readFileSync(join(CODE, "style.css"), "utf8");
  return (await transform(houseStyle + own, { loader: "css", minify: true })).code;
}

/** Bundles a script of clients/site for browsers of 2022 and newer. */
async function script(name) {
  const { outputFiles } = await build({
    entryPoints: [join(CODE, name)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return outputFiles[0].text;
}
