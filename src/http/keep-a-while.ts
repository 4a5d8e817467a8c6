import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

/**
 * Lets caches store an answer for five minutes, after which an upgrade becomes visible. A reader who asks again then
 * costs a 304.
 */
export const keepAWhile: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.header("Cache-Control", "public, max-age=300");
};
