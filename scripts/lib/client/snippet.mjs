import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../paths.mjs";

/** The file with the snippet that the Worker serves. The guide shows its hash. */
export const SNIPPET_FILE = join(ROOT, "src", "http", "snippet-script.ts");

const GUIDE = join(ROOT, "docs", "web-pages.md");

export async function writeSnippet() {
  const content = await snippetFile();
  const [integrity] = /sha384-[^"]+/.exec(content);
  writeFileSync(SNIPPET_FILE, content);
  writeFileSync(GUIDE, readFileSync(GUIDE, "utf8").replace(/sha384-[^"]+/, integrity));
}

/** Returns the content of `SNIPPET_FILE`: `clients/browser`, built for browsers of 2022 and newer. */
export async function snippetFile() {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "clients", "browser", "petrel.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
  });
  const [{ text }] = outputFiles;
  const integrity = `sha384-${createHash("sha384").update(text).digest("base64")}`;
  return `// Made of clients/browser by \`npm run client\`: do not edit.

/** The script of a published version never changes, because pages contain its hash. */
export const snippet = {
  version: 1,
  integrity: ${JSON.stringify(integrity)},
  script: ${JSON.stringify(text)},
};
`;
}
