import { Failure } from "./failure.mjs";

/**
 * Reads as much TOML as wrangler.toml and petrel.toml need: tables, lists of tables, and one-line values (arrays may
 * span lines). Anything else is refused rather than misread; `file` is the name in the refusal.
 */
export function parseToml(text, file) {
  const document = {};
  let table = document;
  for (const { line, number } of statementsOf(text)) {
    const header = line.match(/^\s*\[(\[)?\s*([\w.-]+)\s*\]\]?\s*(#.*)?$/);
    const pair = line.match(/^\s*(?:([\w-]+)|"([^"\\]+)")\s*=\s*(.+)$/);
    const value = pair && parseValue(pair[3]);
    if (header) table = openTable(document, header[2].split("."), Boolean(header[1]));
    else if (pair && value !== undefined) table[pair[1] ?? pair[2]] = value;
    else throw new Failure(`${file}, line ${number}, cannot be read. It must be a [table], or a ${FORM}.`);
  }
  return document;
}

const FORM = 'name = value, with texts in "double quotes" and { … } as a [table] of its own';

/** Returns one line for each statement, without comments. An array that spans lines becomes one line. */
function statementsOf(text) {
  const statements = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const last = statements.at(-1);
    if (last && isOpenArray(last.line)) last.line += ` ${line.trim()}`;
    else statements.push({ line, number: index + 1 });
  }
  return statements;
}

function isOpenArray(line) {
  return /^\s*[\w-]+\s*=\s*\[[^\]]*$/.test(line);
}

function openTable(document, path, isList) {
  // A table below a list of tables belongs to the list's last table.
  const parent = path.slice(0, -1).reduce((node, key) => {
    node[key] ??= {};
    return Array.isArray(node[key]) ? node[key].at(-1) : node[key];
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

/** Undefined for a value that cannot be parsed. */
function parseValue(text) {
  const [value, rest] = split(text);
  if (!/^\s*(#.*)?$/.test(rest)) return undefined;
  try {
    // Strings, lists, numbers and booleans are written as in JSON, except for a list's trailing comma and a number's
    // underscores.
    const asJson = /^[\d_+.-]+$/.test(value) ? value.replace(/^\+|_/g, "") : value.replace(/,\s*\]$/, "]");
    return JSON.parse(asJson);
  } catch {
    return undefined;
  }
}

function split(text) {
  const [value] = text.match(/^("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]|[^\s#]*)/);
  return [value, text.slice(value.length)];
}
