import { LiquidError } from "liquidjs";
import { RenderLimitError, TemplateRenderError, TemplateSyntaxError } from "./errors";
import { type Position, positionAt } from "./position";
import type { LiquidText } from "./syntax";

/** What went wrong in parsing, at its place in the source as the customer wrote it. */
export function syntaxError(error: unknown, source: string, liquid: LiquidText): TemplateSyntaxError {
  return new TemplateSyntaxError(reason(error), place(error, source, liquid) ?? { line: 1, column: 1 });
}

/** What went wrong in rendering: whatever a template does, its owner gets a sentence about it. */
export function renderError(
  error: unknown,
  source: string,
  liquid: LiquidText,
): RenderLimitError | TemplateRenderError {
  const cause = rootCause(error);
  if (cause instanceof RenderLimitError) return cause;
  const at = place(error, source, liquid);
  const where = at ? ` (line ${at.line}, column ${at.column})` : "";
  return new TemplateRenderError(`The template could not be rendered: ${reason(error)}${where}.`, { cause: error });
}

function rootCause(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError ? rootCause(error.originalError) : error;
}

function reason(error: unknown): string {
  const cause = rootCause(error);
  if (cause instanceof RangeError) return "it is nested too deeply, or a value is out of range";
  // liquidjs adds the place in the text it parsed, which is not the text the customer wrote.
  return cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, "") : String(cause);
}

function place(error: unknown, source: string, liquid: LiquidText): Position | undefined {
  // Filters such as `where_exp` parse strings of their own; a place in those is none in the template.
  if (!LiquidError.is(error) || error.token.input !== liquid.text) return undefined;
  return positionAt(source, liquid.sourceOffset(error.token.begin));
}
