import type { MiddlewareHandler } from "hono";
import type { RouterRoute } from "hono/types";
import { COMPOSED_HANDLER } from "hono/utils/constants";
import type { Config } from "../platform/env";
import type { RateLimits } from "../platform/rate-limits";

/** Who may call a route. */
export type CallerKey =
  /** A project, by its secret key. */
  | "secret"
  /** A project, by the key that browsers may hold. */
  | "public"
  /** The operator, by `ADMIN_TOKEN`. */
  | "operator"
  /** Everyone on a developer's own machine, the operator elsewhere. Only while the embedded provider is in use. */
  | "outbox"
  /** Whoever holds a link that we made, or signs as a mail provider does: the route itself checks that. */
  | "signed"
  /** Everyone. */
  | "open";

/** What holds for all requests of a route before it sees them. Stands beside the route, and nowhere else. */
export interface Policy {
  key: CallerKey;
  /** How large a body may be, in bytes. Null where the route takes none, or reads it itself. */
  maxBody: number | ((config: Config) => number) | null;
  /** It takes a form with a file, and not JSON. */
  isUpload: boolean;
  /** An `Idempotency-Key` makes its effect happen once. */
  once: boolean;
  /** The rate limit that it counts for, beside that of the whole project. */
  bucket: Exclude<keyof RateLimits, "api"> | null;
  /** It changes nothing, so a disabled project may call it. */
  isRead: boolean;
}

export const megabyte = 1024 * 1024;

/** What holds where a route does not say otherwise, and for requests that no route is for. */
export const usualPolicy: Policy = {
  key: "secret",
  maxBody: megabyte,
  isUpload: false,
  once: false,
  bucket: null,
  isRead: false,
};

const policies = new WeakMap<object, Policy>();

/** Goes first among a route's handlers, and says its policy. `createRoute` does it for the routes of the document. */
export function policy(said: Partial<Policy>): MiddlewareHandler {
  const declaration: MiddlewareHandler = (_, next) => next();
  policies.set(declaration, { ...usualPolicy, ...said });
  return declaration;
}

/** For pages and files that are everyone's. */
export const open = policy({ key: "open", maxBody: null });

/** The policy that a registered handler says; undefined for one that does something else. */
export function policySaidBy({ handler }: Pick<RouterRoute, "handler">): Policy | undefined {
  // A router with an answer of its own to failures wraps its handlers.
  const wrapped: unknown = Reflect.get(handler, COMPOSED_HANDLER);
  return policies.get(typeof wrapped === "function" ? wrapped : handler);
}

/** Whether a project calls: only then is there a context on the request. */
export function isForProject({ key }: Policy): boolean {
  return key === "secret" || key === "public";
}
