import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

/** What everybody may see, and caches may keep. */
const shared = new Set(["/openapi.json", "/docs"]);

/**
 * Sets what holds for every answer, before the answer exists, so that its headers are built once. A page or a file that
 * may be kept says so itself.
 */
export const answerHeaders: MiddlewareHandler<AppEnv> = (c, next) => {
  c.header("X-Content-Type-Options", "nosniff");
  if (!shared.has(c.req.path)) c.header("Cache-Control", "no-store");
  if (c.req.url.startsWith("https:")) c.header("Strict-Transport-Security", "max-age=31536000");
  return next();
};
