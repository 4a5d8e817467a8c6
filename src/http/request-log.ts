import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";
import { routeOf } from "./routing";

/**
 * Logs each request by its route's pattern: URLs hold recipients' tokens and people's addresses, so the platform's own
 * line about each call is off in wrangler.toml. A developer's machine has no such line, and needs none.
 */
export const logRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { config, log } = c.get("platform");
  if (config.isDevelopment) return;
  const route = routeOf(c)?.path ?? "none";
  log("info", "Request", { requestId: c.get("requestId"), method: c.req.method, route, status: c.res.status });
};
