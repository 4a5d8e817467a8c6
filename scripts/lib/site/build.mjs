import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASSETS, ROOT } from "../paths.mjs";
import { hasPages, readPages, sectionsOf } from "./outline.mjs";
import { searchIndexOf } from "./search-index.mjs";

const SITE = join(ASSETS, "docs");
const SEARCH_INDEX = join(ASSETS, "docs-index.json");
/** Records the sources from which the site was built. Not among the assets, because a deploy uploads those. */
const STAMP = join(ROOT, ".wrangler", "docs-built-of");
const SOURCES = [join(ROOT, "scripts", "lib", "site"), join(ROOT, "clients", "site")];

/**
 * Builds the documents for the Worker to serve and to search, unless they were already built from the same sources. The
 * product works without them: a checkout may lack them, and no failure here makes a start or a deploy fail.
 */
export async function ensureDocs() {
  if (!hasPages()) return;
  try {
    await buildDocs();
  } catch (error) {
    console.log(`The documents could not be built, so /docs lacks them: ${error.message}`);
  }
}

async function buildDocs() {
  const pages = readPages();
  const version = versionOf(pages);
  if (isBuiltOf(version)) return;
  const { renderSite } = await import("./site.mjs");
  writeSite(await renderSite(pages, sectionsOf(pages)));
  writeChanged(SEARCH_INDEX, searchIndexOf(pages));
  mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
  writeFileSync(STAMP, version);
}

function versionOf(pages) {
  const hash = createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json")));
  hash.update(readFileSync(join(ROOT, "src", "core", "house-style.ts")));
  for (const folder of SOURCES) for (const file of readdirSync(folder)) hash.update(readFileSync(join(folder, file)));
  for (const { name, source } of pages) hash.update(name).update(source);
  return hash.digest("hex");
}

function isBuiltOf(version) {
  const isThere = [join(SITE, "index.html"), SEARCH_INDEX, STAMP].every((file) => existsSync(file));
  return isThere && readFileSync(STAMP, "utf8") === version;
}

/** Writes the pages, and deletes pages that no longer exist. */
function writeSite(files) {
  mkdirSync(SITE, { recursive: true });
  for (const name of readdirSync(SITE))
    if (!files.has(name)) rmSync(join(SITE, name), { recursive: true, force: true });
  for (const [name, content] of files) writeChanged(join(SITE, name), content);
}

/** Writes a file only if its content differs, because a running Worker reloads when a file is written. */
function writeChanged(path, content) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== content) writeFileSync(path, content);
}
