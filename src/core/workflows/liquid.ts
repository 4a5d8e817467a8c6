import { TemplateSyntaxError } from "../templating/errors";
import { refuseForeign } from "../templating/foreign-syntax";
import { parseTemplate } from "../templating/render";

const opening = /\{\{|\{%/;

export function hasLiquid(text: string): boolean {
  return opening.test(text);
}

/**
 * Returns what is wrong with a text's Liquid, with line and column, or which placeholder belongs to another template
 * language; null when the text can be rendered.
 */
export function liquidFault(text: string): string | null {
  try {
    refuseForeign(text);
    parseTemplate(text, "text");
    return null;
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return error.message;
    throw error;
  }
}

type Path = (string | number)[];

/** Yields every text in a JSON value, with its path. Keys are left out, because they are not rendered. */
export function* textsIn(value: unknown, path: Path = []): Generator<{ text: string; path: Path }> {
  if (typeof value === "string") yield { text: value, path };
  else if (Array.isArray(value)) for (const [index, inner] of value.entries()) yield* textsIn(inner, [...path, index]);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, [...path, key]);
  }
}
