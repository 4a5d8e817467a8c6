import type { OldTemplate } from "../account";

/** A tag that cannot be converted. No guess is made. */
export interface Fault {
  line: number;
  tag: string;
  why: string;
}

/** A service's syntax of variables and conditions. */
export interface Language {
  /** Finds the tags in a text. */
  tag: RegExp;
  /** Begins a text: returns the converter for its tags, which are passed one by one in their order. */
  open(template: OldTemplate): Turn;
}

export interface Turn {
  /** Returns the tag in Liquid. Throws Untold for a tag that it does not know. */
  turn(tag: string): string;
  /** How many blocks are open at the end. */
  open?(): number;
}

/** A tag whose meaning is unknown here. The message explains why. */
export class Untold extends Error {
  override name = "Untold";
}

export interface Converted {
  text: string;
  faults: Fault[];
}

/** Converts a text to Liquid, and lists each tag that cannot be converted with its line. */
export function convert(language: Language, text: string, template: OldTemplate): Converted {
  const faults: Fault[] = [];
  const { turn, open } = language.open(template);
  const converted = text.replace(language.tag, (...found: unknown[]) => {
    const tag = String(found[0]);
    const at = Number(found.findLast((one) => typeof one === "number"));
    try {
      return turn(tag);
    } catch (error) {
      if (!(error instanceof Untold)) throw error;
      faults.push({ line: lineOf(text, at), tag, why: error.message });
      return tag;
    }
  });
  if (open !== undefined && open() > 0 && faults.length === 0)
    faults.push({ line: lineOf(text, text.length), tag: "the end", why: `${open()} of its blocks are not closed` });
  return { text: converted, faults };
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** The open blocks, each with the word that closes it in Liquid. */
export class Blocks {
  readonly #ends: string[] = [];

  get count(): number {
    return this.#ends.length;
  }

  begin(liquid: string, end: string): string {
    this.#ends.push(end);
    return liquid;
  }

  /** Throws Untold when no block is open. */
  end(): string {
    const end = this.#ends.pop();
    if (end === undefined) throw new Untold("closes a block that is not open");
    return `{% ${end} %}`;
  }

  /** Throws Untold outside of a block. */
  middle(liquid: string): string {
    if (this.#ends.length === 0) throw new Untold("is outside of a block");
    return liquid;
  }
}

/** Returns the output of a variable, with the text for a missing value. */
export function output(variable: string, fallback?: string): string {
  return fallback === undefined ? `{{ ${variable} }}` : `{{ ${variable} ?? ${quoted(fallback)} }}`;
}

/** Throws Untold for a text that cannot be written in Liquid. */
export function quoted(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  if (!text.includes("'")) return `'${text}'`;
  throw new Untold("has a text with both kinds of quotes, which Liquid cannot write");
}
