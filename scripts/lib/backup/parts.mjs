import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Failure } from "../failure.mjs";

// The file of a backup, line by line. The first line describes it and contains the manifest. Each file of the backup
// follows: a line with its name, then its own lines if it has rows, or else its content as base64. The last line has
// the number of files.
const VERSION = 1;

export function firstLine(manifest) {
  return `${JSON.stringify({ petrel: "backup", version: VERSION, manifest })}\n`;
}

export function lastLine(files) {
  return `${JSON.stringify({ end: files })}\n`;
}

/** Returns the lines of one file of the backup. */
export function linesOf(name, content) {
  const isRows = name.endsWith(".ndjson");
  if (isRows && content.at(-1) !== LINE_END) throw new Failure(`${name} is not whole: it ends within a line.`);
  const check = { name, sha256: sha256(content) };
  if (!isRows) return [`${JSON.stringify({ ...check, base64: content.toString("base64") })}\n`];
  return [`${JSON.stringify({ ...check, lines: content.filter((byte) => byte === LINE_END).length })}\n`, content];
}

export function sha256(...contents) {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex");
}

/** Reads the manifest in the file of a backup. */
export async function readFirst(path) {
  for await (const line of linesIn(path)) return manifestIn(line, path);
  throw damaged(path, "it is empty");
}

/** Reads and checks the files of the backup, each with its name and content. At most one is in memory. */
export async function* partsIn(path) {
  const lines = linesIn(path)[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    if (done) throw damaged(path, "its end is missing");
    return value;
  };
  manifestIn(await next(), path);
  for (let files = 0; ; files++) {
    const said = jsonIn(await next(), path);
    if (said.end !== undefined) {
      if (said.end !== files || !(await lines.next()).done) throw damaged(path, "it has other files than its end says");
      return;
    }
    const content =
      said.base64 === undefined ? await take(said.lines, next) : Buffer.from(String(said.base64), "base64");
    if (sha256(content) !== said.sha256) throw damaged(path, `${said.name} has changed`);
    yield { name: String(said.name), content };
  }
}

async function take(count, next) {
  const lines = [];
  for (let line = 0; line < count; line++) lines.push(await next(), NEW_LINE);
  return Buffer.concat(lines);
}

const LINE_END = 10;
const NEW_LINE = Buffer.from([LINE_END]);

/**
 * Yields the lines of a file. Node's own readline is not used, because it also ends lines at characters that JSON may
 * contain.
 */
async function* linesIn(path) {
  let begun = [];
  for await (const chunk of createReadStream(path)) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)]);
      begun = [];
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
  }
  if (begun.some(({ length }) => length > 0)) throw damaged(path, "it ends within a line");
}

function manifestIn(line, path) {
  const { petrel, version, manifest } = jsonIn(line, path);
  if (petrel !== "backup" || typeof manifest !== "object") throw damaged(path, "it is no backup of Petrel");
  if (version !== VERSION) throw damaged(path, `it has version ${version}, and this Petrel reads version ${VERSION}`);
  return manifest;
}

function jsonIn(line, path) {
  try {
    return Object(JSON.parse(line.toString()));
  } catch {
    throw damaged(path, "a line is not JSON");
  }
}

function damaged(path, why) {
  return new Failure(`${path} cannot be restored: ${why}. Nothing was changed.`);
}
