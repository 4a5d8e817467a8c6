import { Invalid } from "../../../core/errors";
import { TemplateSyntaxError } from "../../../core/templating/errors";
import { foreignTexts, refuseForeign } from "../../../core/templating/foreign-syntax";
import { parseTemplate } from "../../../core/templating/render";
import type { Context } from "../../../platform/context";

/** The parts of an email's content that may contain Liquid. A part that is left out is not checked. */
interface LiquidContent {
  subject?: string | undefined;
  previewText?: string | null | undefined;
  body?: string | undefined;
}

/** Checks the Liquid of an email's content. `at` is the path of the content in the call, for error messages. */
export function checkContent(
  ctx: Pick<Context, "warnings">,
  { subject, previewText, body }: LiquidContent,
  at = "",
): void {
  if (subject !== undefined) checkLiquid(ctx, `${at}subject`, subject, "text");
  if (body !== undefined) checkLiquid(ctx, `${at}body`, body, "html");
  if (previewText) checkLiquid(ctx, `${at}previewText`, previewText, "text");
}

/**
 * Throws Invalid, with line and column, for Liquid that cannot be rendered for any contact. Also refuses the syntax of
 * other template languages. Warns about placeholders that would be sent unrendered.
 */
function checkLiquid(ctx: Pick<Context, "warnings">, field: string, source: string, kind: "html" | "text"): void {
  try {
    refuseForeign(source);
    parseTemplate(source, kind);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    throw new Invalid([{ field, code: "custom", message: error.message }]);
  }
  ctx.warnings.push(...foreignTexts(source).map((message) => ({ field, message })));
}
