import { isLoopback } from "../core/dns";
import { Invalid } from "../core/errors";
import { hostAndPort } from "../core/outbound/url";
import type { Platform } from "./context";
import { judgeOutboundUrl } from "./outbound";

/**
 * Refuses a URL that must not be called. Judges only the text of the URL, because the host name is resolved before each
 * call. `judged` is the part of `url` that no template can change, which is all of it by default.
 */
export function checkOutboundUrl(
  platform: Pick<Platform, "config" | "origin">,
  { field, url, judged = url }: { field: string; url: string; judged?: string },
): void {
  const verdict = judgeOutboundUrl(platform, judged);
  if (verdict.kind === "refused") {
    const message = `${verdict.reason}${hintFor(platform, judged)}`;
    throw new Invalid([{ field, code: "invalid_string", message, received: url }]);
  }
}

/** Returns advice for a developer whose receiver runs on this machine; an empty text for any other URL. */
function hintFor({ config }: Pick<Platform, "config">, written: string): string {
  if (!config.isDevelopment || !URL.canParse(written)) return "";
  const url = new URL(written);
  if (!isLoopback(url.hostname)) return "";
  return ` For a receiver on this machine, start with OUTBOUND_ALLOW_LOOPBACK=${hostAndPort(url)}`;
}
