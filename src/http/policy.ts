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
  /** A project, identified by its secret key. */
  | "secret"
  /** A project, identified by its public key, which browsers may use. */
  | "public"
  /** The operator, identified by `ADMIN_TOKEN`. An owner of the installation has the same rights. */
  | "operator"
  /** A person with a session, regardless of their role. */
  | "person"
  /**
   * A reader of the outbox, while the outbox is in use. On a developer's machine, that is everyone who calls the
   * machine by one of its own names; elsewhere only the operator.
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
  /**
   * Whether a call without an `Authorization` header can have its key in the body. Browsers' beacons need this, because
   * they cannot set headers.
   */
  keyInBody: boolean;
  /** The largest body in bytes. Null when the route takes no body, or reads it itself. */
  maxBody: number | ((config: Config) => number) | null;
  /** Whether the body is a form with a file instead of JSON. */
  isUpload: boolean;
  /** Whether the body is bytes of any kind, which the route reads as a stream. */
  isStreamed: boolean;
  /** Whether the route accepts an `Idempotency-Key`. */
  once: boolean;
  /** Whether the route accepts `If-Match` with a version. */
  isVersioned: boolean;
  /** The rate limit of the route, in addition to that of the whole project. */
  bucket: RouteBucket | null;
  /**
   * The role that a person needs. Null for the default: a viewer may read, an editor may write, and the operator's
   * routes require an owner. A route of one project under `/admin` can accept that project's admin.
   */
  role: Role | null;
  /** Whether an editor who can only write drafts is refused, either always or for certain bodies. */
  sends: boolean | ((body: unknown) => boolean);
  /** Whether a person must have proved who they are within the last ten minutes. */
  needsProof: boolean;
  /** Whether the audit log records what the route changes. */
  isAudited: boolean;
  /** Whether the route belongs to the console and its people: while the console is closed, the route does not exist. */
  isOfConsole: boolean;
  /** Whether a key of kind `monitor` may read this route of the operator. */
  takesMonitorKey: boolean;
  /**
   * Whether the route adds rows or files: a project that has reached its `maxStorageMb` may not call such a route. A
   * function decides from the body, and "itself" leaves the decision to the verb. Null is the default: true for a
   * project's POST that is not a read, and false otherwise.
   */
  grows: boolean | "itself" | ((body: unknown) => boolean) | null;
  /** Whether the route changes nothing, so that a disabled project may call it. */
  isRead: boolean;
  /** Whether the route may read from a copy of the database that lags, because no write depends on what it reads. */
  readsCopies: boolean;
  /** The names that the route reads; null for a route that is not in the OpenAPI document. */
  names: () => Names | null;
  /**
   * Creates the refusals that the OpenAPI document shows as examples. This is a function, because creating an error
   * object while the Worker starts would take a quarter of its startup time: V8 reads the whole bundle again to find
   * the error's line.
   */
  refusals: () => readonly Refusal[];
}

export const kilobyte = 1024;
export const megabyte = 1024 * kilobyte;

/** The defaults, which also apply to requests for unknown paths. */
export const usualPolicy: Policy = {
  key: "secret",
  keyInBody: false,
  maxBody: megabyte,
  isUpload: false,
  isStreamed: false,
  once: false,
  isVersioned: false,
  bucket: null,
  role: null,
  sends: false,
  needsProof: false,
  isAudited: false,
  isOfConsole: false,
  takesMonitorKey: false,
  grows: null,
  isRead: false,
  readsCopies: false,
  names: () => null,
  refusals: () => [],
};

const policies = new WeakMap<object, Policy>();

/**
 * Declares a route's policy. Must be the first handler of the route. The operations of the OpenAPI document declare
 * theirs in `http/routes.ts`.
 */
export function policy(said: Partial<Policy>): MiddlewareHandler {
  return withPolicy((_, next) => next(), { ...usualPolicy, ...said });
}

/** Declares the policy of a route. `handler` must be the first handler of the route. */
export function withPolicy<H extends MiddlewareHandler>(handler: H, policy: Policy): H {
  policies.set(handler, policy);
  return handler;
}

/**
 * Returns the lowest role with which a session is allowed to call the route; null for a route that accepts no session,
 * or any session.
 */
export function roleNeededBy({ key, role, isRead }: Policy): Role | null {
  if (key === "operator") return role ?? "owner";
  if (key === "secret") return role ?? (isRead ? "viewer" : "editor");
  return null;
}

/** The policy of public pages and files. */
export const open = policy({ key: "open", maxBody: null });

/** Returns the policy that a registered handler declares; undefined for any other handler. */
export function policySaidBy({ handler }: Pick<RouterRoute, "handler">): Policy | undefined {
  // Hono wraps the handlers of a router that has its own error handler, and keeps the original one under
  // COMPOSED_HANDLER.
  const wrapped: unknown = Reflect.get(handler, COMPOSED_HANDLER);
  return policies.get(typeof wrapped === "function" ? wrapped : handler);
}

/** Whether the caller is a project. Only then does the request have a context. */
export function isForProject({ key }: Policy): boolean {
  return key === "secret" || key === "public";
}

/** Whether the caller has a project's key or the operator's token, which means that a developer wrote the request. */
export function takesKey(policy: Policy): boolean {
  return isForProject(policy) || policy.key === "operator";
}
