import type { Context as HonoContext } from "hono";
import { etag } from "hono/etag";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import { snippet } from "./snippet-script";

/** The path of the snippet's current version. The script at this path never changes, so a page can contain its hash. */
export const snippetPath = `/petrel/${snippet.version}.js`;

/** Serves the snippet with which web pages track events. Its source is in clients/browser. */
export function serveSnippet(app: AppRouter): void {
  app.get("/petrel.js", open, etag({ weak: true }), (c) => scriptFor(c, "public, max-age=3600"));
  app.get(snippetPath, open, (c) => scriptFor(c, "public, max-age=31536000, immutable"));
}

/**
 * Sets CORS headers, because pages of every origin load the script, and browsers can compare it with its hash only if
 * it has these headers.
 */
function scriptFor(c: HonoContext<AppEnv>, cacheControl: string) {
  return c.body(snippet.script, 200, {
    "Content-Type": "text/javascript; charset=utf-8",
    "Cache-Control": cacheControl,
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
}
