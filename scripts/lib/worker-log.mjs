import { createInterface } from "node:readline";
import { dim, red, yellow } from "./screen.mjs";
import { plain } from "./tools.mjs";

// Messages that `npm start` handles itself, and the runtime's wording of errors that the Worker then reports in plain
// words.
const EXPECTED =
  /Scheduled Workers are not automatically triggered|failed to lookup address information|DNS lookup failed/;
/** The runtime's addresses of machine code, which help nobody here. */
const MACHINE_CODE = /^\s*stack: \S*workerd@/;
/** One cause is often reported several times at once, for example by each DNS query. */
const SAID_AGAIN_AFTER_MS = 10_000;

/**
 * Shows the warnings and errors in the output of `wrangler dev`, and hides its chatter. A message is a line with its
 * level, and the indented or empty lines after it.
 */
export function watchLog(child, { verbose, print = console.log }) {
  const recent = [];
  const saidAt = new Map();
  const wasSaid = ({ text, details }) => {
    const what = `${text} ${details.resolver}`;
    const before = saidAt.get(what) ?? Number.NEGATIVE_INFINITY;
    saidAt.set(what, Date.now());
    return Date.now() - before < SAID_AGAIN_AFTER_MS;
  };
  let sawError = false;

  const follow = (stream) => {
    let showing = false;
    createInterface({ input: stream }).on("line", (coloured) => {
      const line = plain(coloured);
      recent.push(line);
      if (recent.length > 15) recent.shift();
      if (verbose) return print(withoutTokens(coloured));
      if (MACHINE_CODE.test(line)) return;
      const isContinuation = /^\s+\S/.test(line);
      const message = isContinuation ? null : readMessage(line);
      if (!isContinuation && line.trim() !== "") showing = message !== null;
      if (message?.details?.resolver && wasSaid(message)) showing = false;
      else if (message) print(format(message));
      else if (showing && isContinuation) print(dim(line));
      if (message?.level === "error") sawError = true;
    });
  };
  follow(child.stdout);
  follow(child.stderr);

  return {
    sawError: () => sawError,
    recent: () => recent.join("\n").trim(),
  };
}

/** Removes tokens. Everybody with the token of a recipient's page or of a tracked link can act as its recipient. */
export function withoutTokens(line) {
  return line.replace(/(\/(?:unsubscribe|subscribe|manage|confirm|c|o)\/)[\w-]{8}[\w-]*/g, "$1…");
}

/**
 * Reads a line. The Worker's own lines are JSON; wrangler's begin with the level in brackets. Null for lines that are
 * not worth showing.
 */
function readMessage(line) {
  const marked = line.match(/^(?:. )?\[(?:wrangler:)?(warn|error|WARNING|ERROR)\]\s*(.*)$/u);
  const text = marked ? marked[2] : line;
  const structured = readJson(text);
  const level = structured?.level ?? { w: "warn", e: "error" }[marked?.[1][0].toLowerCase()];
  if ((level !== "warn" && level !== "error") || EXPECTED.test(text)) return null;
  if (!structured) return { level, text };
  const { level: _, message, trace, ...details } = structured;
  return { level, text: message, details, frames: trace?.split("\n") };
}

function readJson(text) {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function format({ level, text, details = {}, frames = [] }) {
  const time = new Date().toTimeString().slice(0, 8);
  const label = level === "error" ? red("error") : yellow("warn ");
  const values = Object.entries(details).map(([name, value]) => {
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  return [`${dim(time)}  ${label}  ${text}  ${dim(values.join(" "))}`.trimEnd(), ...frames.map(dim)].join("\n");
}
