import type { Context as HonoContext } from "hono";
import { MethodNotAllowed, type Refusal, UnknownRoute } from "../core/errors";
import type { AppEnv } from "./router";

interface Route {
  method: string;
  path: string;
}

/** Why no handler was found: the path is unknown, or it is known and does not take this method (RFC 9110, 15.5.6). */
export function noSuchRoute(routes: Route[]): (c: HonoContext<AppEnv>) => Refusal {
  // Middleware is registered for every method; what answers is registered for one.
  const endpoints = routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`) }));
  return (c) => {
    const { method, path } = c.req;
    const allowed = new Set(endpoints.filter(({ pattern }) => pattern.test(path)).map((endpoint) => endpoint.method));
    return allowed.size === 0 ? new UnknownRoute(method, path) : new MethodNotAllowed(method, path, [...allowed]);
  };
}
