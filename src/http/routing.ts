import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { RouterRoute } from "hono/types";
import { MethodNotAllowed, UnknownRoute } from "../core/errors";
import { type CallerKey, policySaidBy, usualPolicy } from "./policy";
import { firstSegment, patternOf } from "./route-table";
import type { AppEnv } from "./router";

/** The endpoint a request is for. Middleware is registered for every method; what answers is registered for one. */
export function routeOf(c: HonoContext): RouterRoute | undefined {
  return matchedRoutes(c).find(isEndpoint);
}

/** Finds the policy of what a request is for. `routes` is asked late, when all of them are registered. */
export function findPolicy(routes: () => RouterRoute[]): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const route = routeOf(c);
    const policy = route ? policySaidBy(route) : { ...usualPolicy, key: keyBeside(routes(), c.req.path) };
    c.set("policy", policy ?? usualPolicy);
    return next();
  };
}

/**
 * The key for a path that no route is for, or not by this method: that of the routes at the same path, or below the
 * same first segment, if they all take the same one. It is a secret one everywhere else, so that nobody without a key
 * learns which paths there are.
 */
function keyBeside(routes: RouterRoute[], path: string): CallerKey {
  const endpoints = routes.filter(isEndpoint);
  const here = endpoints.filter((route) => fits(route, path));
  const beside = here.length > 0 ? here : endpoints.filter((route) => firstSegment(route.path) === firstSegment(path));
  const keys = new Set(beside.flatMap((route) => policySaidBy(route)?.key ?? []));
  keys.delete("open");
  const [only = "secret"] = keys;
  return keys.size === 1 ? only : "secret";
}

/**
 * Refuses a request that no endpoint is for: the path is unknown, or it is known and does not take this method
 * (RFC 9110, section 15.5.6).
 */
export function requireRoute(routes: () => RouterRoute[]): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    if (routeOf(c)) return next();
    const { method, path } = c.req;
    const here = routes().filter((route) => isEndpoint(route) && fits(route, path));
    const allowed = [...new Set(here.map((route) => route.method))];
    throw allowed.length === 0 ? new UnknownRoute(method, path) : new MethodNotAllowed(method, path, allowed);
  };
}

function isEndpoint({ method }: RouterRoute): boolean {
  return method !== "ALL";
}

function fits({ path: pattern }: RouterRoute, path: string): boolean {
  return patternOf(pattern).test(path);
}
