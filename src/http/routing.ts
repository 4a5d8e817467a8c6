import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { MethodNotAllowed, UnknownRoute } from "../core/errors";
import type { AppEnv } from "./router";

interface Route {
  method: string;
  path: string;
}

/** The endpoint a request is for. Middleware is registered for every method; what answers is registered for one. */
export function routeOf(c: HonoContext): Route | undefined {
  return matchedRoutes(c).find(({ method }) => method !== "ALL");
}

/**
 * Refuses a request that no endpoint is for: the path is unknown, or it is known and does not take this method
 * (RFC 9110, section 15.5.6). `routes` is asked late, when all of them are registered.
 */
export function requireRoute(routes: () => Route[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (routeOf(c)) return next();
    const { method, path } = c.req;
    const allowed = new Set(
      routes()
        .filter((route) => route.method !== "ALL" && patternOf(route.path).test(path))
        .map((route) => route.method),
    );
    throw allowed.size === 0 ? new UnknownRoute(method, path) : new MethodNotAllowed(method, path, [...allowed]);
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`);
}
