import { Invalid } from "../../../core/errors";
import { TemplateSyntaxError } from "../../../core/templating/errors";
import { foreignTexts, refuseForeign } from "../../../core/templating/foreign-syntax";
import { parseTemplate } from "../../../core/templating/render";
import type { Context } from "../../../platform/context";

/**
 * Refuses Liquid that cannot be rendered for any contact, naming line and column. Also refuses syntax of other template
 * languages. Warns about placeholders that would be sent unrendered.
 */
export function checkLiquid(
  ctx: Pick<Context, "warnings">,
  field: string,
  source: string,
  kind: "html" | "text",
): void {
  try {
    refuseForeign(source);
    parseTemplate(source, kind);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    throw new Invalid([{ field, code: "custom", message: error.message }]);
  }
  ctx.warnings.push(...foreignTexts(source).map((message) => ({ field, message })));
}
