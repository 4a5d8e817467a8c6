import type { MiddlewareHandler } from "hono";
import type { RouterRoute } from "hono/types";
import { COMPOSED_HANDLER } from "hono/utils/constants";
import type { Refusal } from "../core/errors";
import type { Role } from "../core/people/role";
import type { Config } from "../platform/env";
import type { RouteBucket } from "../platform/route-buckets";
import type { Names } from "./names";

/** The callers that a route accepts. */
export type CallerKey =
  /** A project, by its secret key. */
  | "secret"
  /** A project, by its public key, which browsers may hold. */
  | "public"
  /** The operator, by `ADMIN_TOKEN`. An owner of the installation may do the same. */
  | "operator"
  /** A person with a session, whatever their role. */
  | "person"
  /**
   * Everyone who calls a developer's machine under one of its own names; elsewhere the operator. Only while the
   * embedded provider is in use.
   */
  | "outbox"
  /**
   * Holders of a link that we signed, or a mail provider that signs its reports. The route itself checks the signature.
   */
  | "signed"
  /** Everyone. */
  | "open";

/** The rules for every request of a route, checked before the route runs. They are declared only next to the route. */
export interface Policy {
  key: CallerKey;
  /** A call without an `Authorization` header may have its key in the body, as browsers' beacons cannot set headers. */
  keyInBody: boolean;
  /** The largest body in bytes. Null when the route takes no body, or reads it itself. */
  maxBody: number | ((config: Config) => number) | null;
  /** The body is a form with a file, not JSON. */
  isUpload: boolean;
  /** The route accepts an `Idempotency-Key`. */
  once: boolean;
  /** The route accepts `If-Match` with a version. */
  isVersioned: boolean;
  /** The rate limit of the route, in addition to that of the whole project. */
  bucket: RouteBucket | null;
  /**
   * The role that a person needs. Null for the usual one: a viewer reads, an editor writes, and the operator's routes
   * take an owner. A route of one project under `/admin` may take that project's admin.
   */
  role: Role | null;
  /** An editor who only writes drafts may not call the route, or not with such a body. */
  sends: boolean | ((body: unknown) => boolean);
  /** A person must have proved who they are within the last ten minutes. */
  needsProof: boolean;
  /** The audit log tells what the route changes. */
  isAudited: boolean;
  /** The route is of the console and its people: while the console is closed, it does not exist. */
  isOfConsole: boolean;
  /** A route of the operator that a key of kind `monitor` may read. */
  takesMonitorKey: boolean;
  /** The route changes nothing, so a disabled project may call it. */
  isRead: boolean;
  /** The route may read from a copy of the database that lags, because it bases no write on what it reads. */
  readsCopies: boolean;
  /** The names that the route reads; null for a route outside of the document. */
  names: () => Names | null;
  /**
   * Creates the refusals that the document shows as examples. It is a function, because creating an error while the
   * Worker starts would take a quarter of the start's time: V8 reads the whole bundle again to find the error's line.
   */
  refusals: () => readonly Refusal[];
}

export const kilobyte = 1024;
export const megabyte = 1024 * kilobyte;

/** The defaults, which also hold for requests to unknown paths. */
export const usualPolicy: Policy = {
  key: "secret",
  keyInBody: false,
  maxBody: megabyte,
  isUpload: false,
  once: false,
  isVersioned: false,
  bucket: null,
  role: null,
  sends: false,
  needsProof: false,
  isAudited: false,
  isOfConsole: false,
  takesMonitorKey: false,
  isRead: false,
  readsCopies: false,
  names: () => null,
  refusals: () => [],
};

const policies = new WeakMap<object, Policy>();

/** Declares a route's policy; must be the first handler of the route. Operations of the document have theirs already. */
export function policy(said: Partial<Policy>): MiddlewareHandler {
  return withPolicy((_, next) => next(), { ...usualPolicy, ...said });
}

/** Declares the policy of the route whose first handler this is. */
export function withPolicy<H extends MiddlewareHandler>(handler: H, policy: Policy): H {
  policies.set(handler, policy);
  return handler;
}

/** For public pages and files. */
export const open = policy({ key: "open", maxBody: null });

/** The policy that a registered handler declares; undefined for any other handler. */
export function policySaidBy({ handler }: Pick<RouterRoute, "handler">): Policy | undefined {
  // A router with its own error handler wraps its handlers.
  const wrapped: unknown = Reflect.get(handler, COMPOSED_HANDLER);
  return policies.get(typeof wrapped === "function" ? wrapped : handler);
}

/** Whether the caller is a project. Only then does the request have a context. */
export function isForProject({ key }: Policy): boolean {
  return key === "secret" || key === "public";
}

/** Whether the caller has a key or the operator's token, and so a developer wrote the request. */
export function takesKey(policy: Policy): boolean {
  return isForProject(policy) || policy.key === "operator";
}
