import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

/**
 * Lets caches store an answer for five minutes, so that an upgrade becomes visible soon. A later repeat of the request
 * costs only a 304.
 */
export const keepAWhile: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.header("Cache-Control", "public, max-age=300");
};
