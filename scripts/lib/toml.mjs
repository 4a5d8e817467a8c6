import { Failure } from "./failure.mjs";

/**
 * Reads as much TOML as wrangler.toml and petrel.toml need: tables, lists of tables, and one-line values (arrays may run
 * over several). Anything else is refused rather than misread; `file` is the name that the refusal says.
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

/** One line for each statement, without comments. An array that runs over several lines becomes one. */
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
  // A table below a list of tables belongs to the list's last one.
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

/** Undefined for what is not understood. */
function parseValue(text) {
  const [value, rest] = split(text);
  if (!/^\s*(#.*)?$/.test(rest)) return undefined;
  try {
    // Strings, lists, numbers and booleans are written as in JSON, but for a list's trailing comma and a number's lines.
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
