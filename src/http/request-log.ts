import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";
import { routeOf } from "./routing";

/**
 * Logs each request by its route's pattern. URLs contain recipients' tokens and people's addresses, so wrangler.toml
 * turns off Cloudflare's own log line for each call. On a developer's machine, nothing is logged.
 */
export const logRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { config, log } = c.get("platform");
  if (config.isDevelopment) return;
  const route = routeOf(c)?.path ?? "none";
  log("info", "Request", { requestId: c.get("requestId"), method: c.req.method, route, status: c.res.status });
};
