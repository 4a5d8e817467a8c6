import { Invalid } from "../../core/errors";
import { TemplateSyntaxError } from "../../core/templating/errors";
import { parseTemplate } from "../../core/templating/render";

/** Refuses Liquid that cannot be rendered for anyone, with line and column. */
export function checkLiquid(field: string, source: string, kind: "html" | "text"): void {
  try {
    parseTemplate(source, kind);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    throw new Invalid([{ field, code: "custom", message: error.message }]);
  }
}
