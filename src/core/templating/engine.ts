import { type Context, type FilterImplOptions, Liquid } from "liquidjs";
import type { Encode } from "./at-once";
import { budgetOf } from "./context";
import { meteredFilters } from "./filters";
import { escapedHtml } from "./html";
import { meteredOperators } from "./operators";
import { printed } from "./output";
import { guardParentheses } from "./parentheses";
import { offerTags } from "./tags";

/**
 * "html" escapes values. "text", such as a subject, is one line and needs no escaping. "value" may have any characters.
 * "url" encodes values so that they stay within the part of the URL where they are printed.
 */
export type TemplateKind = "html" | "text" | "value" | "url";

const filters = meteredFilters();
guardParentheses((name) => filters.has(name));

/** How each kind of template encodes the values that it prints. Null for a kind that prints values unchanged. */
export const encodings: Record<TemplateKind, Encode | null> = {
  html: escapeOutput,
  text: null,
  value: null,
  url: encodeOutput,
};

export const engines: Record<TemplateKind, Liquid> = {
  html: createEngine("html"),
  text: createEngine("text"),
  value: createEngine("value"),
  url: createEngine("url"),
};

function createEngine(kind: TemplateKind): Liquid {
  const encode = encodings[kind];
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    groupedExpressions: true,
    operators: meteredOperators(),
    outputEscape: encode === null ? undefined : encodedOutput(encode),
    // Fixed, so that every machine renders the same mail.
    locale: "en-US",
    timezoneOffset: 0,
  });
  for (const name of Object.keys(engine.filters)) delete engine.filters[name];
  for (const [name, filter] of filters)
    engine.registerFilter(name, kind === "url" ? encodedAfter(name, filter) : filter);
  offerTags(engine);
  return engine;
}

/**
 * Makes liquidjs encode a filter's result in a URL, even that of `raw`. The result of `url_encode` is encoded already.
 */
function encodedAfter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === "function" ? filter : filter.handler;
  return { handler, raw: name === "url_encode" };
}

/** Returns the filter that encodes an output. liquidjs runs it last, in every output that does not end in `raw`. */
function encodedOutput(encode: Encode): (this: { context: Context }, value: unknown) => string {
  return function (value) {
    return encode(this.context, value);
  };
}

function escapeOutput(context: Context, value: unknown): string {
  const budget = budgetOf(context);
  const text = printed(value, budget);
  budget.charge(text.length * 5);
  return escapedHtml(text);
}

function encodeOutput(context: Context, value: unknown): string {
  const budget = budgetOf(context);
  const text = printed(value, budget);
  budget.charge(text.length * 5);
  return encodeURIComponent(text.toWellFormed());
}
