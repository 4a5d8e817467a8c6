import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

/** An upgrade shows within five minutes; until then a reader costs nothing, and after that a 304. */
export const keepAWhile: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.header("Cache-Control", "public, max-age=300");
};
