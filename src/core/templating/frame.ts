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
  if (values.length === maxMarks || !plainWords.test(value)) return null;
  values.push(value);
  return beginsMark + String.fromCharCode(firstNumber + values.length - 1);
}

export function hasMark(text: string): boolean {
  return text.includes(beginsMark);
}

/** What is made of a frame, with the values, which are no longer escaped. */
export function filled(text: string, values: string[]): string {
  return text.replace(mark, (_, number: string) => unescaped(values[number.charCodeAt(0) - firstNumber] ?? ""));
}

function unescaped(value: string): string {
  return value.includes("&") ? value.replace(/&[^;]+;/g, (entity) => entities[entity] ?? entity) : value;
}
