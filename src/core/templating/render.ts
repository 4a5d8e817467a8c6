import { type Template as Node, toValueSync } from "liquidjs";
import { Budget } from "./budget";
import { TextCache } from "./cache";
import { MeteredContext } from "./context";
import { encodings, engines, type TemplateKind } from "./engine";
import { renderError, syntaxError } from "./failure";
import { FrameBuilder, type Framed } from "./frame";
import { CappedEmitter } from "./output";
import { parseLiquid } from "./parser";
import { type LiquidText, toLiquid } from "./syntax";

/** A parsed template. Without `liquid`, the source has no Liquid and is its own rendering. */
export interface Template {
  readonly kind: TemplateKind;
  readonly source: string;
  readonly liquid?: ParsedLiquid;
}

export interface ParsedLiquid extends LiquidText {
  nodes: Node[];
}

const parsed: Record<TemplateKind, TextCache<Template>> = {
  html: new TextCache(parsedBytes),
  text: new TextCache(parsedBytes),
  value: new TextCache(parsedBytes),
  url: new TextCache(parsedBytes),
};

/** The parts of an email's content that are templates. */
interface TemplateTexts {
  subject: string;
  previewText: string | null;
  body: string | null;
}

/** Parses the templates of an email's content. A part that the content lacks counts as empty. */
export function templatesOf({ subject, previewText, body }: TemplateTexts, budget?: Budget): Template[] {
  return [
    parseTemplate(subject, "text", budget),
    parseTemplate(previewText ?? "", "text", budget),
    parseTemplate(body ?? "", "html", budget),
  ];
}

/**
 * Parses a template, or takes it from this isolate's cache. Throws `TemplateSyntaxError` when it is not valid, or uses
 * an unknown filter or tag.
 */
export function parseTemplate(source: string, kind: TemplateKind, budget?: Budget): Template {
  if (!source.includes("{{") && !source.includes("{%")) return { kind, source };
  return parsed[kind].getOrMake(source, () => {
    budget?.note(parsingUnits(source));
    return { kind, source, liquid: parse(source, kind) };
  });
}

function parse(source: string, kind: TemplateKind): ParsedLiquid {
  const liquid = toLiquid(source);
  try {
    return { ...liquid, nodes: parseLiquid(engines[kind], liquid.text, encodings[kind]) };
  } catch (error) {
    throw syntaxError(error, source, liquid);
  }
}

/**
 * Estimates the size of a parsed template. Even a placeholder of a few characters becomes objects of two to three
 * kilobytes.
 */
function parsedBytes(source: string): number {
  return source.length * 2 + placeholdersIn(source) * 3_000;
}

/**
 * Estimates the cost of parsing, from measured factors that are rounded up. Each email with a large template is charged
 * this cost, because the template does not fit into the cache and is parsed again.
 */
function parsingUnits(source: string): number {
  return source.length * 5 + placeholdersIn(source) * 1_200;
}

function placeholdersIn(source: string): number {
  return source.split(/\{[{%]/).length;
}

/**
 * Renders a template with the result of `templateVariables`. Throws `RenderLimitError` when that needs more work than
 * the budget has left, or more space than one email may use, and `TemplateRenderError` when the template does not work
 * with these values.
 */
export function renderTemplate(template: Template, variables: Record<string, unknown>, budget = new Budget()): string {
  const output = template.liquid ? renderLiquid(template, template.liquid, variables, budget) : template.source;
  // A line break in a subject would begin a new header; other control characters do not belong in a subject either.
  return template.kind === "text" ? output.replace(controlCharacters, "") : output;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are removed here
const controlCharacters = /[\u0000-\u001f\u007f]+/g;

/** Renders a body like `renderTemplate`, and returns its frame as well. */
export function renderFramed(template: Template, variables: Record<string, unknown>, budget = new Budget()): Framed {
  const framing = new FrameBuilder();
  if (template.liquid) {
    const output = renderLiquid(template, template.liquid, variables, budget, framing);
    return { output, frame: framing.frame, values: framing.values };
  }
  framing.addSource(template.source);
  return { output: template.source, frame: framing.frame, values: [] };
}

function renderLiquid(
  { kind, source }: Template,
  liquid: ParsedLiquid,
  variables: Record<string, unknown>,
  budget: Budget,
  framing?: FrameBuilder,
): string {
  const engine = engines[kind];
  // Copied, because `increment` writes to it; without a prototype, because names are looked up with `in`.
  const scope: object = Object.assign(Object.create(null), variables);
  const emitter = new CappedEmitter(budget, framing);
  try {
    toValueSync(engine.renderer.renderTemplates(liquid.nodes, new MeteredContext(scope, engine, budget), emitter));
    return emitter.buffer;
  } catch (error) {
    throw renderError(error, source, liquid);
  }
}
