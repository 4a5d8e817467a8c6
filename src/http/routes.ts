import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { RouterRoute } from "hono/types";
import type { z } from "zod";
import { readIfMatch } from "../core/if-match";
import { refuseWhenFull } from "../core/storage-limit";
import type { Context, Platform } from "../platform/context";
import { auditedCall } from "./audited-call";
import { callEntryOf, writeCallEntry } from "./call-entry";
import { readInput } from "./input";
import { refuseMissing } from "./legacy";
import type { Names } from "./names";
import { type InputOf, type Method, type Operation, type OperationHandler, successes, successNames } from "./operation";
import { namesOf } from "./operation-names";
import { isForProject, type Policy, policySaidBy, usualPolicy, withPolicy } from "./policy";
import { type AppEnv, type AppRouter, createRouter } from "./router";

/** The properties that the operations of a router share. */
interface Shared {
  /** The operations' tag in the OpenAPI document. */
  tag: string;
  /** Schemas that the OpenAPI document names although none of the operations uses them as a whole. */
  schemas?: Iterable<readonly [name: string, schema: z.ZodType]>;
}

/**
 * An operation with its method, path and complete policy. Its path is written as in the OpenAPI document:
 * `/topics/{id}`.
 */
export interface PlacedOperation extends Shared, Omit<Operation, keyof Policy>, Policy {
  method: Method;
  path: string;
  names: () => Names;
}

type AddOperation<World> = <O extends Operation>(
  path: string,
  // Makes the compiler refuse a property that operations do not have.
  operation: O & Record<Exclude<keyof O, keyof Operation>, never>,
  handler: OperationHandler<World, O>,
) => void;

/**
 * Adds operations to a router. A handler gets either a platform, or a context with a project, depending on who may call
 * the operation.
 */
export interface Routes<World> extends Record<Method, AddOperation<World>> {
  router: AppRouter;
}

/** Creates the routes of operations that take a project's key. */
export function projectRoutes(tag: string, shared: Omit<Shared, "tag"> = {}): Routes<Context> {
  return routesOf({ tag, ...shared }, (c) => c.var.ctx);
}

/** Creates the routes of operations without a project, which take the operator's token. */
export function operatorRoutes(tag: string, shared: Pick<Partial<Policy>, "isOfConsole"> = {}): Routes<Platform> {
  return routesOf({ tag, key: "operator", ...shared }, (c) => c.var.platform);
}

/**
 * Creates the routes of operations for people with a session. An operation that accepts everybody declares another
 * `key`.
 */
export function personRoutes(tag: string): Routes<Platform> {
  return routesOf({ tag, key: "person", isOfConsole: true }, (c) => c.var.platform);
}

/** Creates the routes of operations by a link that we signed. The handler checks the signature. */
export function linkRoutes(tag: string): Routes<Platform> {
  return routesOf({ tag, key: "signed" }, (c) => c.var.platform);
}

/** Creates the routes of operations on the outbox. */
export function outboxRoutes(tag: string): Routes<Platform> {
  return routesOf({ tag, key: "outbox", maxBody: null }, (c) => c.var.platform);
}

function routesOf<World extends Platform>(
  shared: Shared & Partial<Policy>,
  worldOf: (c: HonoContext<AppEnv>) => World,
): Routes<World> {
  const router = createRouter();
  const adding = (method: Method): AddOperation<World> => {
    return (path, operation, handler) => {
      const placed = placedAt(method, path, { ...shared, ...operation });
      const answer = answerTo(placed, async (input, c) => {
        const world = inAudit(placed, worldOf(c), c);
        const result = await handler(world, input, c);
        await writeCallEntry(world);
        return result;
      });
      router.on(method, path.replace(/\{(\w+)\}/g, ":$1"), withPolicy(answer, placed));
    };
  };
  return {
    router,
    get: adding("get"),
    post: adding("post"),
    put: adding("put"),
    patch: adding("patch"),
    delete: adding("delete"),
  };
}

/**
 * Returns what an operation's handler gets. If the operation is audited, this includes what the audit log records about
 * the call. Any other change that a person or the operator makes has an entry for the whole call.
 */
function inAudit<World extends Platform>(operation: PlacedOperation, world: World, c: HonoContext<AppEnv>): World {
  if (operation.isAudited) return { ...world, audit: auditedCall(c, operation.id) };
  if (operation.isRead || c.req.query("dryRun") === "true") return world;
  const isNoted = isForProject(operation) ? c.get("visitor") !== undefined : operation.key === "operator";
  return isNoted ? { ...world, callEntry: callEntryOf(c, operation, world) } : world;
}

function placedAt(method: Method, path: string, operation: Shared & Operation): PlacedOperation {
  const reads = method === "get";
  let names: Names | undefined;
  return {
    ...usualPolicy,
    isRead: reads,
    readsCopies: reads,
    ...operation,
    method,
    path,
    isUpload: operation.form !== undefined,
    isStreamed: operation.bytes !== undefined,
    // Computed on demand, because only requests need the names, and a starting Worker does not.
    names: () => {
      names ??= namesOf(operation);
      return names;
    },
  };
}

function answerTo<O extends Operation>(
  operation: O & PlacedOperation,
  handle: (input: InputOf<O>, c: HonoContext<AppEnv>) => unknown,
): MiddlewareHandler<AppEnv> {
  const [success] = successNames.filter((name) => operation[name] !== undefined);
  return async (c) => {
    const refused = operation.legacy && (await refuseMissing(c, operation.legacy));
    if (refused) return refused;
    // The cast is safe: each part is the output of its own schema.
    const input = (await readInput(c, operation)) as InputOf<O>;
    if (operation.isVersioned) c.set("ctx", { ...c.get("ctx"), ifMatch: readIfMatch(c.req.header("If-Match")) });
    // The body decides whether the call sends. If it does, an editor who can only write drafts is refused.
    if (typeof operation.sends === "function" && "body" in input && operation.sends(input.body)) {
      await c.get("refuseToSend")?.();
    }
    if (mayGrow(operation) && asksToGrow(operation, input)) refuseWhenFull(c.get("ctx").project);
    const answer = await handle(input, c);
    if (answer instanceof Response) return answer;
    return success === undefined ? c.body(null, 204) : c.json(answer ?? null, successes[success].status);
  };
}

/** Whether an operation adds rows or files of a project, perhaps only with some bodies. */
export function mayGrow(operation: PlacedOperation): boolean {
  const { grows, method, isRead } = operation;
  return isForProject(operation) && !isRead && (grows ?? method === "post") !== false;
}

function asksToGrow({ grows }: PlacedOperation, input: object): boolean {
  if (typeof grows !== "function") return grows !== "itself";
  return "body" in input && grows(input.body);
}

/**
 * Returns the operation of a registered route; undefined for middleware, and for a route that is not in the OpenAPI
 * document.
 */
export function operationAt(route: RouterRoute): PlacedOperation | undefined {
  const policy = policySaidBy(route);
  return policy && operationOf(policy);
}

/** Returns the operation that has this policy; undefined for a route that is not in the OpenAPI document. */
export function operationOf(policy: Policy): PlacedOperation | undefined {
  return isPlaced(policy) ? policy : undefined;
}

function isPlaced(policy: Policy | PlacedOperation): policy is PlacedOperation {
  return "path" in policy;
}
