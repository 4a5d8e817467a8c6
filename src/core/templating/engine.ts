import { type Context, type FilterImplOptions, Liquid } from "liquidjs";
import { budgetOf } from "./context";
import { meteredFilters } from "./filters";
import { meteredOperators } from "./operators";
import { printed } from "./output";
import { guardParentheses } from "./parentheses";
import { offerTags } from "./tags";

/**
 * Values are escaped in HTML. A text, such as a subject, is one line and needs no escaping. A value may have any
 * characters. In a URL, values are encoded so that they stay within the part of it where they are printed.
 */
export type TemplateKind = "html" | "text" | "value" | "url";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

const filters = meteredFilters();
guardParentheses((name) => filters.has(name));

export const engines: Record<TemplateKind, Liquid> = {
  html: createEngine("html"),
  text: createEngine("text"),
  value: createEngine("value"),
  url: createEngine("url"),
};

function createEngine(kind: TemplateKind): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    groupedExpressions: true,
    operators: meteredOperators(),
    outputEscape: kind === "html" ? escapeOutput : kind === "url" ? encodeOutput : undefined,
    // One mail is the same on every machine that renders it.
    locale: "en-US",
    timezoneOffset: 0,
  });
  for (const name of Object.keys(engine.filters)) delete engine.filters[name];
  for (const [name, filter] of filters)
    engine.registerFilter(name, kind === "url" ? encodedAfter(name, filter) : filter);
  offerTags(engine);
  return engine;
}

/** In a URL no filter's result is printed as it is, not even that of `raw`, unless the filter encodes it as we do. */
function encodedAfter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === "function" ? filter : filter.handler;
  return { handler, raw: name === "url_encode" };
}

/** liquidjs runs it as the last filter of every output that does not end in `raw`. */
function escapeOutput(this: { context: Context }, value: unknown): string {
  const budget = budgetOf(this.context);
  const text = printed(value, budget);
  budget.charge(text.length * 5);
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function encodeOutput(this: { context: Context }, value: unknown): string {
  const budget = budgetOf(this.context);
  const text = printed(value, budget);
  budget.charge(text.length * 5);
  return encodeURIComponent(text.toWellFormed());
}
