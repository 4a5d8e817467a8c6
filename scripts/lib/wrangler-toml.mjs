import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";

/** wrangler.toml as an object, so that names live there alone. Knows as much TOML as that file uses. */
export function readWranglerToml() {
  return parseToml(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
}

function parseToml(text) {
  const document = {};
  let table = document;
  // An array may run over several lines: its line breaks become blanks, and every statement is one line.
  const statements = text.replace(/^\s*#.*$/gm, "").replace(/\[[^[\]]*\]/g, (array) => array.replace(/\s+/g, " "));
  for (const line of statements.split("\n")) {
    const header = line.match(/^\s*\[(\[)?\s*([\w.-]+)\s*\]/);
    const pair = line.match(/^\s*([\w-]+)\s*=\s*(.+)$/);
    if (header) table = openTable(document, header[2].split("."), Boolean(header[1]));
    else if (pair) table[pair[1]] = parseValue(pair[2]);
  }
  return document;
}

function openTable(document, path, isList) {
  const parent = path.slice(0, -1).reduce((node, key) => {
    node[key] ??= {};
    return node[key];
  }, document);
  const name = path.at(-1);
  if (!isList) {
    parent[name] ??= {};
    return parent[name];
  }
  parent[name] ??= [];
  parent[name].push({});
  return parent[name].at(-1);
}

function parseValue(text) {
  const value = text.match(/^("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^#]*)/)[0].trim();
  try {
    // Of strings, lists, numbers and booleans, TOML writes as JSON does, once a trailing comma is gone.
    return JSON.parse(value.replace(/,\s*\]$/, "]"));
  } catch {
    return value;
  }
}
