import { isLoopback } from "../../core/dns";
import { Invalid } from "../../core/errors";
import { placeOf } from "../../core/outbound/url";
import type { Context } from "../../platform/context";
import { judgeOutboundUrl } from "../../platform/outbound";

/** At the door: what a URL says of itself. Its name is resolved before each call. */
export function checkUrl(ctx: Context, url: string): void {
  const judged = judgeOutboundUrl(ctx, url);
  if (judged.kind === "refused") {
    const message = `${judged.reason}${hintFor(ctx, url)}`;
    throw new Invalid([{ field: "url", code: "invalid_string", message, received: url }]);
  }
}

/** What a developer with a receiver on this machine can do. */
function hintFor({ config }: Context, written: string): string {
  if (!config.isDevelopment || !URL.canParse(written)) return "";
  const url = new URL(written);
  if (!isLoopback(url.hostname)) return "";
  return ` For a receiver on this machine, start with OUTBOUND_ALLOW_LOOPBACK=${placeOf(url)}`;
}
