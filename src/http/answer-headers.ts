import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

/** The paths of public answers, which caches can store. */
const shared = new Set(["/openapi.json", "/docs/reference", "/docs/reference.md"]);

/**
 * Sets the headers of every answer before the answer exists, so that they are built once. A page or file that caches
 * are allowed to store sets its own Cache-Control.
 */
export const answerHeaders: MiddlewareHandler<AppEnv> = (c, next) => {
  c.header("X-Content-Type-Options", "nosniff");
  if (!shared.has(c.req.path)) c.header("Cache-Control", "no-store");
  if (c.req.url.startsWith("https:")) c.header("Strict-Transport-Security", "max-age=31536000");
  return next();
};
