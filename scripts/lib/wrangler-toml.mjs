import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "./failure.mjs";
import { ROOT } from "./paths.mjs";

/** wrangler.toml as an object, so that names live there alone. Knows as much TOML as that file uses. */
export function readWranglerToml() {
  return parseToml(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
}

/** The bindings of all databases. A name that the Worker does not look for would be a database that stays empty. */
export function databaseBindings(config) {
  const bindings = config.d1_databases.map(({ binding }) => binding);
  const stranger = bindings.find((binding) => !/^DB(_(0[1-9]|[1-9]\d))?$/.test(binding));
  if (stranger !== undefined) {
    throw new Failure(
      `wrangler.toml binds a database as ${stranger}: the first one is DB, further ones are DB_01 to DB_99.`,
    );
  }
  if (!bindings.includes("DB"))
    throw new Failure("wrangler.toml binds no database as DB: every installation has that one.");
  return bindings;
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
