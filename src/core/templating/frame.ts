/**
 * A rendering, and its frame: the same text, in which a mark stands for each value that is plain words. Renderings of a
 * template have equal frames whenever they differ in such values alone.
 */
export interface Framed {
  output: string;
  /** Null when the template or a value has a character that begins marks. */
  frame: string | null;
  /** Escaped, as they are in the output, in the order of their marks' numbers. */
  values: string[];
}

/** A private-use character, and another one for the number. */
const beginsMark = "\ue000";
const firstNumber = 0xe001;
const maxMarks = 6_000;
const mark = /\ue000([\ue001-\uf8ff])/g;

/**
 * Words with one blank between them: they stay what they are in any HTML, because what has a meaning there is escaped,
 * and in any text, because blanks are only put together where there are several.
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

/** A mark for a value, which joins the others; null when it has to stand for itself. */
export function markFor(value: string, values: string[]): string | null {
  return isPlainWords(value) ? markForWords(value, values) : null;
}

/** The same for a value that is known to be plain words. */
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

/** What is made of a frame, with the values, which are no longer escaped. */
export function filled(text: string, values: string[]): string {
  if (!hasMark(text)) return text;
  // A link's URL is one mark in nearly all mail whose links are tracked.
  if (text.length === 2) return unescaped(valueAt(text.charCodeAt(1), values));
  return text.replace(mark, (_, number: string) => unescaped(valueAt(number.charCodeAt(0), values)));
}

/** The HTML of a frame, with the values as they are. */
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
// What a reader of HTML takes as text, as more markup, or not at all, depending on the reader.
const otherElement = "textarea|xmp|iframe|noembed|noframes|noscript|plaintext|svg|math|template";
/**
 * A piece of HTML that everybody reads alike; each `<` begins one. Marks are in texts, in quoted values of attributes, and
 * in raw elements.
 */
const piece = new RegExp(
  [
    "[^<]+",
    String.raw`<(${rawElement})(?:${attribute})*\s*>(?:[^<]*|(?:[^<\ue000]|<(?!\/\1))*)<\/\1\s*>`,
    String.raw`<\/?(?!(?:${rawElement}|${otherElement})\b)[a-z][a-z0-9:-]*(?:${attribute})*\s*\/?>`,
    String.raw`<!--(?!-?>)(?:(?!--!?>)[^\ue000])*-->`,
    String.raw`<!doctype\b[^<>\ue000]*>`,
  ].join("|"),
  "iy",
);

/** Whether plain words in the place of any mark leave all the rest as it is. */
export function isStable(frame: string): boolean {
  if (!hasMark(frame)) return true;
  // `&am` and a value `p;` would be one character.
  if (/&[#\w]*\ue000/.test(frame)) return false;
  piece.lastIndex = 0;
  while (piece.lastIndex < frame.length) if (!piece.test(frame)) return false;
  return true;
}
