import { foreignTexts } from "../../../core/templating/foreign-syntax";
import { textsIn } from "../../../core/workflows/liquid";
import type { Context } from "../../../platform/context";

/** Warns of placeholders of other template languages in a config, which would be sent unrendered. */
export function warnOfForeign(ctx: Context, config: object): void {
  for (const { text, path } of textsIn(config)) {
    const field = ["config", ...path].join(".");
    ctx.warnings.push(...foreignTexts(text).map((message) => ({ field, message })));
  }
}
