import { type Context, Liquid } from "liquidjs";
import { budgetOf } from "./context";
import { meteredFilters } from "./filters";
import { meteredOperators } from "./operators";
import { printed } from "./output";
import { guardParentheses } from "./parentheses";
import { offerTags } from "./tags";

/** Values are escaped in HTML. A text, such as a subject, is one line and needs no escaping. */
export type TemplateKind = "html" | "text";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

const filters = meteredFilters();
guardParentheses((name) => filters.has(name));

export const engines: Record<TemplateKind, Liquid> = { html: createEngine("html"), text: createEngine("text") };

function createEngine(kind: TemplateKind): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    groupedExpressions: true,
    operators: meteredOperators(),
    outputEscape: kind === "html" ? escapeOutput : undefined,
    // One mail is the same on every machine that renders it.
    locale: "en-US",
    timezoneOffset: 0,
  });
  for (const name of Object.keys(engine.filters)) delete engine.filters[name];
  for (const [name, filter] of filters) engine.registerFilter(name, filter);
  offerTags(engine);
  return engine;
}

/** liquidjs runs it as the last filter of every output that does not end in `raw`. */
function escapeOutput(this: { context: Context }, value: unknown): string {
  const budget = budgetOf(this.context);
  const text = printed(value, budget);
  budget.charge(text.length * 5);
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
