import { TemplateSyntaxError } from "./errors";
import { positionAt } from "./position";

/**
 * Our dialect is Liquid plus two things, and this file turns both into plain Liquid:
 *
 *   {{ a ?? b ?? "c" | upcase }}   →  {{ (a ?? b ?? "c") | upcase }}
 *   {{ first name }}               →  {{ ["first name"] }}
 *
 * `??` works wherever a value is allowed, in outputs and in tags, and binds tighter than every other operator; the
 * operator itself is in operators.ts. Names with spaces work in outputs and in the tags of EXPRESSION_TAGS; elsewhere
 * spaces already have a meaning (`for item in items limit: 3`), so names there are written `["first name"]`. A name
 * that contains one of the words `and`, `or`, `not`, `contains` must be written `data["terms and conditions"]`.
 */

const QUOTED = String.raw`"[^"\\]*(?:\\[^][^"\\]*)*(?:"|$)|'[^'\\]*(?:\\[^][^'\\]*)*(?:'|$)`;
const OPERATOR = String.raw`(?:and|or|not|contains)(?![\w-])`;
// The characters that liquidjs allows in a name, except that two question marks never belong to a name.
const LETTER = String.raw`(?:[\w-]|(?![\s“”])[\u0080-\uffff])`;
const WORD = String.raw`${LETTER}(?:${LETTER}|\?(?!\?))*`;
const NEXT_WORD = String.raw`(?:\s+(?!${OPERATOR})${WORD})`;
const INDEX = String.raw`\[\s*(?:${QUOTED}|${WORD}(?:\.${WORD})*)\s*\]`;

/** Limits on the cost of reading a template, far above any real mail. */
export const MAX_PLACEHOLDERS = 10_000;
const MAX_PLACEHOLDER_CHARACTERS = 20_000;
const MAX_UNQUOTED_CHARACTERS = 1_000;

const EXPRESSION_TAGS = new Set(["if", "elsif", "unless", "case", "when", "assign", "echo"]);
const OPENING = /\{\{|\{%-?\s*(#|\w*)/g;
const END_OF_RAW = /\{%-?\s*endraw\b/;
const END_OF_COMMENT = /\{%-?\s*endcomment\b/;
const STRINGS = new RegExp(QUOTED, "g");
const CLOSING = new RegExp(String.raw`${QUOTED}|\}\}`, "g");
const VALUES = valuePattern(WORD);
const VALUES_WITH_BLANKS = valuePattern(`${WORD}${NEXT_WORD}*`);
// Matches the spaces before `??` only from the first of them. Matching from each space would take quadratic time.
const PARTS = new RegExp(String.raw`${QUOTED}|(?<!\s)\s*\?\?\s*|\.?${WORD}${NEXT_WORD}+`, "g");

/**
 * A region of a source: an expression, where names may have spaces; a tag with its own grammar, where they may not; or
 * a comment.
 */
interface Region {
  /** The position of the region's `{{` or `{%`; for a comment, that of its tag. */
  opening: number;
  start: number;
  end: number;
  kind: "expression" | "tag" | "comment";
}

/** A chunk of the source, from `start` to `end`, and its replacement in the Liquid text. */
interface Edit {
  start: number;
  end: number;
  liquid: string;
}

export interface LiquidText {
  text: string;
  /** Converts an offset in `text` to an offset in the customer's source. */
  sourceOffset(offset: number): number;
}

/** Rewrites a source in our dialect to plain Liquid. Text, strings and `raw` blocks stay as they are. */
export function toLiquid(source: string): LiquidText {
  const edits = [...editsOf(source)];
  let text = "";
  let copied = 0;
  for (const { start, end, liquid } of edits) {
    text += source.slice(copied, start) + liquid;
    copied = end;
  }
  return { text: text + source.slice(copied), sourceOffset: (offset) => sourceOffset(edits, offset) };
}

function* editsOf(source: string): Generator<Edit> {
  for (const { start: base, end, kind } of regions(source)) {
    if (kind === "comment") {
      // The comment is removed, because liquidjs would parse it at the full cost of its content.
      yield { start: base, end, liquid: "" };
      continue;
    }
    const expression = source.slice(base, end);
    let read = base;
    for (const match of expression.matchAll(kind === "expression" ? VALUES_WITH_BLANKS : VALUES)) {
      const start = base + match.index;
      refuseFallback(source, read, start);
      read = start + match[0].length;
      const liquid = plainValue(match[0]);
      if (liquid !== match[0]) yield { start, end: read, liquid };
    }
    refuseFallback(source, read, end);
  }
}

/**
 * Refuses a `??` outside the matched values, which liquidjs would silently ignore. A `??` between two values is matched
 * together with them, so it never gets here.
 */
function refuseFallback(source: string, start: number, end: number): void {
  const offset = source.slice(start, end).indexOf("??");
  if (offset >= 0) refuse(source, start + offset, "?? needs a name, a number or a string on both sides");
}

function refuse(source: string, offset: number, reason: string): never {
  throw new TemplateSyntaxError(reason, positionAt(source, offset));
}

function valuePattern(name: string): RegExp {
  const rest = String.raw`(?:\.${name}|${INDEX})*`;
  const value = `(?:(?:${QUOTED}|${name}|${INDEX})${rest})`;
  return new RegExp(String.raw`${OPERATOR}|${value}(?:\s*\?\?\s*${value})*`, "g");
}

/**
 * Yields the contents of outputs and tags, at the positions where liquidjs finds them too. Unclosed ones are left to
 * liquidjs, which refuses them.
 */
function* regions(source: string): Generator<Region> {
  let from = 0;
  for (let count = 1; ; count += 1) {
    OPENING.lastIndex = from;
    const opening = OPENING.exec(source);
    if (!opening) return;
    if (count > MAX_PLACEHOLDERS)
      refuse(source, opening.index, `a template may have at most ${MAX_PLACEHOLDERS} placeholders`);
    const tag = opening[1];
    const start = opening.index + opening[0].length;
    const end = tag === undefined ? outputEnd(source, start) : source.indexOf("%}", opening.index + 1);
    if (end < 0) return;
    if (end - start > MAX_PLACEHOLDER_CHARACTERS) {
      refuse(source, opening.index, `a placeholder may have at most ${MAX_PLACEHOLDER_CHARACTERS} characters`);
    }
    if (tag !== "#" && unquotedCharacters(source.slice(start, end), tag) > MAX_UNQUOTED_CHARACTERS) {
      const reason = `a placeholder may have at most ${MAX_UNQUOTED_CHARACTERS} characters outside of quotes`;
      refuse(source, opening.index, `${reason}: assign parts of it to separate names`);
    }
    from = end + 2;
    if (tag === "raw" || tag === "comment") {
      const block = source.slice(from).search(tag === "raw" ? END_OF_RAW : END_OF_COMMENT);
      if (block < 0) return;
      if (tag === "comment") yield { opening: opening.index, start: from, end: from + block, kind: "comment" };
      from += block + 2;
    } else if (tag !== "#") {
      const kind = tag === undefined || EXPRESSION_TAGS.has(tag) ? "expression" : "tag";
      yield { opening: opening.index, ...withoutTrimMarks(source, start, end), kind };
    }
  }
}

/** Yields the outputs, `{{ … }}`, outside raw blocks and comments: their starts and their contents. */
export function* outputsOf(source: string): Generator<{ opening: number; inside: string }> {
  for (const { opening, start, end } of regions(source)) {
    if (source.startsWith("{{", opening)) yield { opening, inside: source.slice(start, end).trim() };
  }
}

/**
 * Counts the characters outside quotes. In a `liquid` tag, it counts those of the longest line, because each line is a
 * tag of its own.
 */
function unquotedCharacters(inside: string, tag: string | undefined): number {
  if (inside.length <= MAX_UNQUOTED_CHARACTERS) return inside.length;
  const unquoted = inside.replace(STRINGS, "");
  return tag === "liquid"
    ? unquoted.split("\n").reduce((most, line) => Math.max(most, line.length), 0)
    : unquoted.length;
}

function outputEnd(source: string, start: number): number {
  CLOSING.lastIndex = start;
  for (let match = CLOSING.exec(source); match; match = CLOSING.exec(source)) {
    if (match[0] === "}}") return match.index;
  }
  return -1;
}

/** Removes the dashes of `{{- a -}}`, which would otherwise count as part of the name. */
function withoutTrimMarks(source: string, start: number, end: number): { start: number; end: number } {
  const first = source[start] === "-" && start < end ? start + 1 : start;
  const last = source[end - 1] === "-" && first < end ? end - 1 : end;
  return { start: first, end: last };
}

function plainValue(written: string): string {
  let fallbacks = 0;
  const value = written.replace(PARTS, (part) => {
    if (part.startsWith('"') || part.startsWith("'")) return part;
    if (part.trim() !== "??") return `["${part.replace(/^\./, "").replace(/\s+/g, " ")}"]`;
    fallbacks += 1;
    return " ?? ";
  });
  return fallbacks > 0 ? `(${value})` : value;
}

function sourceOffset(edits: Edit[], offset: number): number {
  let shift = 0;
  for (const { start, end, liquid } of edits) {
    if (offset < start + shift) break;
    if (offset < start + shift + liquid.length) return start;
    shift += liquid.length - (end - start);
  }
  return offset - shift;
}
