import { TemplateSyntaxError } from "../templating/errors";
import { refuseForeign } from "../templating/foreign-syntax";
import { parseTemplate } from "../templating/render";

const opening = /\{\{|\{%/;

export function hasLiquid(text: string): boolean {
  return opening.test(text);
}

/**
 * What is wrong with the Liquid of a text, with line and column, or what is of another template language; null when it can
 * be rendered for somebody.
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

/** Every text in a JSON value, with its place. Keys are no texts: nothing in them is rendered. */
export function* textsIn(value: unknown, path: Path = []): Generator<{ text: string; path: Path }> {
  if (typeof value === "string") yield { text: value, path };
  else if (Array.isArray(value)) for (const [place, inner] of value.entries()) yield* textsIn(inner, [...path, place]);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, [...path, key]);
  }
}
