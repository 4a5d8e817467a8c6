import { Invalid } from "../../core/errors";
import type { Context } from "../../platform/context";
import { judgeOutboundUrl } from "../../platform/outbound";

/** At the door: what a URL says of itself. Its name is resolved before each call. */
export function checkUrl(ctx: Context, url: string): void {
  const judged = judgeOutboundUrl(ctx, url);
  if (judged.kind === "refused") {
    throw new Invalid([{ field: "url", code: "invalid_string", message: judged.reason, received: url }]);
  }
}
