import { Hono } from "hono";
import type { ShownKey } from "../core/keys";
import type { Visitor } from "../core/people/visitor";
import type { Warning } from "../core/warning";
import type { States } from "../db/states";
import type { Context, Platform } from "../platform/context";
import type { Env } from "../platform/env";
import { pathOf } from "./path";
import type { Policy } from "./policy";
import { routeTable } from "./route-table";

/** The variables that a handler finds on `c.var`. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** The policy of the requested route. */
    policy: Policy;
    /** The world without a project: for the middleware, operators and recipients. */
    platform: Platform;
    /** The world with the caller's project. Set once the key is accepted. */
    ctx: Context;
    /** The states of the project's database that the request has seen. Only where databases have copies. */
    states: States | undefined;
    /** The caller's key. A person with a session has none. */
    key: ShownKey | undefined;
    /** Refuses the call of an editor who only writes drafts. Not set for callers who may send. */
    refuseToSend: (() => Promise<never>) | undefined;
    /** The caller is a person who does not see personal data in this project. */
    hidesPersonalData: boolean | undefined;
    /** The answer leaves out personal data by itself. */
    isMasked: boolean | undefined;
    /** The person whose session the request has. Not set for other callers. */
    visitor: Visitor | undefined;
    /** Warnings that the answer adds to its result. */
    warnings: Warning[];
    /** The idempotency key of a call whose API key was in its body too. */
    idempotencyKeyInBody: string | undefined;
    /**
     * For a request with an idempotency key, whose body is read first: the request's hash, or the fault of an
     * unreadable body.
     */
    keyedBody: { hash: string } | { fault: unknown };
  };
}

export type AppRouter = Hono<AppEnv>;

/** Creates a router: of a feature's pages, or of everything. `routes.ts` creates those of a feature's operations. */
export function createRouter(): AppRouter {
  return new Hono<AppEnv>({ router: routeTable(), getPath: pathOf });
}
