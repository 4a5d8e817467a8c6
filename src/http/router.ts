import { Hono } from "hono";
import type { AnswerRequest } from "../core/inside-call";
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
    /** Everything that needs no project, for the middleware and for the calls of operators and recipients. */
    platform: Platform;
    /** Answers another request within this one, just as the Worker would: see `callsInside`. */
    answerInside: AnswerRequest;
    /** Everything that works on the caller's project. Set once the key is accepted. */
    ctx: Context;
    /** The states of the project's database that the request has seen. Only set if databases have copies. */
    states: States | undefined;
    /** The caller's key. A person with a session has none. */
    key: ShownKey | undefined;
    /** Refuses the call of an editor who can only write drafts. Not set for callers who are allowed to send. */
    refuseToSend: (() => Promise<never>) | undefined;
    /** Whether the caller is a person who is not allowed to see personal data in this project. */
    hidesPersonalData: boolean | undefined;
    /** Whether the handler itself masks personal data in the answer. */
    isMasked: boolean | undefined;
    /** The person to whom the request's session belongs. Not set for other callers. */
    visitor: Visitor | undefined;
    /** Warnings that the answer adds to its result. */
    warnings: Warning[];
    /** The idempotency key from the body, for a call that sends its API key in the body as well. */
    idempotencyKeyInBody: string | undefined;
    /**
     * Set for a request with an idempotency key, whose body is read first: the request's hash, or the fault of an
     * unreadable body.
     */
    keyedBody: { hash: string } | { fault: unknown };
  };
}

export type AppRouter = Hono<AppEnv>;

/** Creates a router for a feature's pages, or for everything. `routes.ts` creates the routers of operations. */
export function createRouter(): AppRouter {
  return new Hono<AppEnv>({ router: routeTable(), getPath: pathOf });
}
