import { LiquidError } from "liquidjs";
import { RenderLimitError, TemplateRenderError, TemplateSyntaxError } from "./errors";
import { positionAt, type TextPosition } from "./position";
import type { LiquidText } from "./syntax";

/** Makes the error of a failed parse, with its position in the customer's own source. */
export function syntaxError(error: unknown, source: string, liquid: LiquidText): TemplateSyntaxError {
  return new TemplateSyntaxError(reason(error), positionOf(error, source, liquid) ?? { line: 1, column: 1 });
}

/** Makes the error of a failed rendering. Every failure has a sentence for the template's owner. */
export function renderError(
  error: unknown,
  source: string,
  liquid: LiquidText,
): RenderLimitError | TemplateRenderError {
  const cause = rootCause(error);
  if (cause instanceof RenderLimitError) return cause;
  const at = positionOf(error, source, liquid);
  const where = at ? ` (line ${at.line}, column ${at.column})` : "";
  return new TemplateRenderError(`The template could not be rendered: ${reason(error)}${where}.`, { cause: error });
}

function rootCause(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError ? rootCause(error.originalError) : error;
}

function reason(error: unknown): string {
  const cause = rootCause(error);
  if (cause instanceof RangeError) return "it is nested too deeply, or a value is out of range";
  // liquidjs adds the position in the text that it parsed, which is not the customer's text.
  return cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, "") : String(cause);
}

function positionOf(error: unknown, source: string, liquid: LiquidText): TextPosition | undefined {
  // Filters such as `where_exp` parse their own strings, and a position in these is not a position in the template.
  if (!LiquidError.is(error) || error.token.input !== liquid.text) return undefined;
  return positionAt(source, liquid.sourceOffset(error.token.begin));
}
