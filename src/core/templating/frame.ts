/**
 * A rendering and its frame: the same text, with a mark in place of each value that is plain words. Renderings of a
 * template that differ only in such values have equal frames.
 */
export interface Framed {
  output: string;
  /** Null when the template or a value contains the character that begins marks. */
  frame: string | null;
  /** The values, escaped as in the output, in the order of their marks' numbers. */
  values: string[];
}

/** A mark is this private-use character, followed by another one that stands for the number of the value. */
const beginsMark = "\ue000";
const firstNumber = 0xe001;
const maxMarks = 6_000;
const mark = /\ue000([\ue001-\uf8ff])/g;

/**
 * Words with single blanks between them. They read the same in HTML, where special characters are escaped, and in plain
 * text, where only runs of several blanks are collapsed.
 */
const plainWords = /^(?! )(?:[^\s<>&"'\u200b\ue000\p{Cc}]|&(?:amp|lt|gt|#34|#39);| (?! |$))+$/u;

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'" };

/** Collects a frame and its values. */
export class FrameBuilder {
  readonly values: string[] = [];
  #frame = "";
  #isMarkable = true;

  addSource(text: string): void {
    if (hasMark(text)) this.#isMarkable = false;
    this.#frame += text;
  }

  addValue(text: string): void {
    const mark = markFor(text, this.values);
    if (mark === null) this.addSource(text);
    else this.#frame += mark;
  }

  get frame(): string | null {
    return this.#isMarkable ? this.#frame : null;
  }
}

/** Adds a value and returns its mark; null when the value must be written out. */
export function markFor(value: string, values: string[]): string | null {
  return isPlainWords(value) ? markForWords(value, values) : null;
}

/** Adds a value that is known to be plain words, and returns its mark; null when all marks are in use. */
export function markForWords(value: string, values: string[]): string | null {
  if (values.length === maxMarks) return null;
  values.push(value);
  return beginsMark + String.fromCharCode(firstNumber + values.length - 1);
}

export function isPlainWords(value: string): boolean {
  return plainWords.test(value);
}

export function hasMark(text: string): boolean {
  return text.includes(beginsMark);
}

/** Fills in the values of a text made from a frame, unescaped. */
export function filled(text: string, values: string[]): string {
  if (!hasMark(text)) return text;
  // A fast path: when links are tracked, the URL of nearly every link is exactly one mark.
  if (text.length === 2) return unescaped(valueAt(text.charCodeAt(1), values));
  return text.replace(mark, (_, number: string) => unescaped(valueAt(number.charCodeAt(0), values)));
}

/** Fills in the values of a frame's HTML, still escaped. */
export function filledHtml(frame: string, values: string[]): string {
  return frame.replace(mark, (_, number: string) => valueAt(number.charCodeAt(0), values));
}

function valueAt(code: number, values: string[]): string {
  return values[code - firstNumber] ?? "";
}

function unescaped(value: string): string {
  return value.includes("&") ? value.replace(/&[^;]+;/g, (entity) => entities[entity] ?? entity) : value;
}

const attribute = String.raw`\s+[^\s"'<>/=\ue000]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=\ue000]+))?`;
const rawElement = "title|style|script";
// Elements whose content some HTML parsers read as text, some as markup, and some not at all.
const otherElement = "textarea|xmp|iframe|noembed|noframes|noscript|plaintext|svg|math|template";
/**
 * Matches the next part of the HTML (a text, a raw element, a tag, a comment or a doctype), if all parsers read it in
 * the same way. Marks may be in texts, in quoted attribute values, and in raw elements.
 */
const stableMarkup = new RegExp(
  [
    "[^<]+",
    String.raw`<(${rawElement})(?:${attribute})*\s*>(?:[^<]*|(?:[^<\ue000]|<(?!\/\1))*)<\/\1\s*>`,
    String.raw`<\/?(?!(?:${rawElement}|${otherElement})\b)[a-z][a-z0-9:-]*(?:${attribute})*\s*\/?>`,
    String.raw`<!--(?!-?>)(?:(?!--!?>)[^\ue000])*-->`,
    String.raw`<!doctype\b[^<>\ue000]*>`,
  ].join("|"),
  "iy",
);

/** Whether the marks can be replaced by any plain words without a change to the rest of the HTML. */
export function isStable(frame: string): boolean {
  if (!hasMark(frame)) return true;
  // After `&am`, a value that begins with `p;` would complete an entity.
  if (/&[#\w]*\ue000/.test(frame)) return false;
  stableMarkup.lastIndex = 0;
  while (stableMarkup.lastIndex < frame.length) if (!stableMarkup.test(frame)) return false;
  return true;
}
