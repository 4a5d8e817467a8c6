import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { RouterRoute } from "hono/types";
import { MethodNotAllowed, UnknownRoute } from "../core/errors";
import { nearest, relocated } from "./nearest";
import { type CallerKey, policySaidBy, usualPolicy } from "./policy";
import { endsWithId, firstSegment, patternOf } from "./route-table";
import type { AppEnv } from "./router";

export type AllRoutes = () => Promise<RouterRoute[]>;

/** Returns the endpoint of a request. Middleware is registered for every method, endpoints for one. */
export function routeOf(c: HonoContext): RouterRoute | undefined {
  return matchedRoutes(c).find(isEndpoint);
}

/** Finds the policy of a request. `allRoutes` returns the routes of every feature, for a request that matches none. */
export function findPolicy(allRoutes: AllRoutes): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const route = routeOf(c);
    const policy = route ? policySaidBy(route) : { ...usualPolicy, key: keyForUnknown(await allRoutes(), c) };
    c.set("policy", policy ?? usualPolicy);
    return next();
  };
}

/**
 * Returns the kind of key for an unknown path. If the path exists under another base URL, either kind of project key is
 * accepted, so that the caller learns the right path.
 */
function keyForUnknown(routes: RouterRoute[], c: HonoContext): CallerKey {
  const endpoints = routes.filter(isEndpoint);
  const { method, path } = c.req;
  const moved = relocated(endpoints, method, path);
  const key = keyAround(endpoints, moved ?? path);
  if (moved === null || (key !== "secret" && key !== "public")) return key;
  return /^Bearer +pk_/i.test(c.req.header("Authorization") ?? "") ? "public" : "secret";
}

/**
 * Returns the kind of key for an unknown path, or for a method that the path does not support. If all routes at the
 * same path, or below the same first segment, accept the same kind, it is that kind. Otherwise it is a secret key, so
 * that callers without a key cannot learn which paths exist.
 */
function keyAround(endpoints: RouterRoute[], path: string): CallerKey {
  const here = endpoints.filter((route) => fits(route, path));
  const around = here.length > 0 ? here : endpoints.filter((route) => firstSegment(route.path) === firstSegment(path));
  const keys = new Set(around.flatMap((route) => policySaidBy(route)?.key ?? []));
  keys.delete("open");
  const [only = "secret"] = keys;
  return keys.size === 1 ? only : "secret";
}

/**
 * Refuses a request without an endpoint: the path is unknown, or does not support this method (RFC 9110, section
 * 15.5.6).
 */
export function requireRoute(allRoutes: AllRoutes): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (routeOf(c)) return next();
    const { method, path } = c.req;
    const endpoints = (await allRoutes()).filter(isEndpoint);
    const allowed = [...new Set(endpointsAt(endpoints, path).map((route) => route.method))];
    const advice = nearest(endpoints, method, path);
    throw allowed.length === 0
      ? new UnknownRoute(method, path, advice)
      : new MethodNotAllowed(method, path, { allowed, advice });
  };
}

/** Returns the endpoints of a path. `/contacts/lookup` is an endpoint of its own, and not a contact with that id. */
function endpointsAt(endpoints: RouterRoute[], path: string): RouterRoute[] {
  const here = endpoints.filter((route) => fits(route, path));
  const isNamed = here.some((route) => !route.path.includes(":", route.path.lastIndexOf("/")));
  return isNamed ? here.filter((route) => !endsWithId(route.path)) : here;
}

/** Whether any method has an endpoint at this path. */
export function isKnownPath(routes: RouterRoute[], path: string): boolean {
  return routes.some((route) => isEndpoint(route) && fits(route, path));
}

function isEndpoint({ method }: RouterRoute): boolean {
  return method !== "ALL";
}

function fits({ path: pattern }: RouterRoute, path: string): boolean {
  return patternOf(pattern).test(path);
}
