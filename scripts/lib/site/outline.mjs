import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CLI, CLIENT, ROOT } from "../paths.mjs";

const FOLDER = join(ROOT, "docs");
const HOME = "README.md";
/** Pages whose source is elsewhere, by their name on the site. */
const ELSEWHERE = { client: join(CLIENT, "README.md"), cli: join(CLI, "README.md") };

export function hasPages() {
  return existsSync(join(FOLDER, HOME));
}

/**
 * Reads every page of the documents. The first page is docs/README.md, whose sections and links determine the order of
 * all others. A page is `{ name, file, source, title }`, and the first one is called `index`.
 */
export function readPages() {
  const home = pageOf("index", join(FOLDER, HOME));
  const names = readdirSync(FOLDER).filter((file) => file.endsWith(".md") && file !== HOME);
  const files = Object.fromEntries(names.map((file) => [basename(file, ".md"), join(FOLDER, file)]));
  const others = Object.entries({ ...files, ...ELSEWHERE }).map(([name, file]) => pageOf(name, file));
  return [home, ...others];
}

function pageOf(name, file) {
  const source = readFileSync(file, "utf8");
  return { name, file, source, title: /^# (.+)$/m.exec(source)?.[1].replaceAll("`", "") ?? name };
}

/**
 * Returns the sections of the first page: `{ title, entries: [{ page, title, summary }] }`. An entry is a list item
 * that begins with a link to a page: `- [Sending](sending.md): one email …`.
 */
export function sectionsOf(pages) {
  const [home] = pages;
  const sections = [];
  for (const line of home.source.split("\n")) {
    const [, section] = /^## (.+)$/.exec(line) ?? [];
    if (section) sections.push({ title: section, entries: [] });
    const [, title, target, summary] = /^- \[([^\]]+)\]\(([^)#]+\.md)\): (.+)$/.exec(line) ?? [];
    const page = target && pages.find(({ name }) => name === pageNameOf(target));
    if (page && sections.length > 0) sections.at(-1).entries.push({ page, title, summary });
  }
  return sections;
}

/** Returns the name of the page to which a relative path leads, whether or not it exists. */
export function pageNameOf(path) {
  const file = join(FOLDER, path);
  if (file === join(FOLDER, HOME)) return "index";
  const [elsewhere] = Object.entries(ELSEWHERE).find(([, place]) => place === file) ?? [];
  return elsewhere ?? (join(FOLDER, basename(file)) === file ? basename(file, ".md") : null);
}
