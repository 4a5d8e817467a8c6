import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { type BadRequest, Invalid } from "../core/errors";
import { faultsOf } from "../core/faults";
import type { ShownKey } from "../core/keys";
import { nameMisspelt } from "../core/misspelt";
import type { Warning } from "../core/warning";
import type { States } from "../db/states";
import type { Context, Platform } from "../platform/context";
import type { Env } from "../platform/env";
import { findUnknown, nothingUnknown, type UnknownNames, writtenField } from "./names";
import { clampWarnings } from "./params";
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
    /** The caller's key. Set together with `ctx`. */
    key: ShownKey;
    /** Warnings that the answer adds to its result. */
    warnings: Warning[];
    /** The idempotency key of a call whose API key was in its body too. */
    idempotencyKeyInBody: string | undefined;
    /** The refusal of a body that is not JSON. */
    unreadable: BadRequest;
    /**
     * For a request with an idempotency key, whose body is read first: the request's hash, or the fault of an
     * unreadable body.
     */
    keyedBody: { hash: string } | { fault: unknown };
  };
}

/** The unknown fields of a body: faults of those that are refused, and warnings of those that are ignored. */
async function unknownFields(c: HonoContext<AppEnv>): Promise<UnknownNames> {
  // The validator has parsed the body, which is stored since. It took an empty object for a missing body.
  const sent: unknown = c.req.raw.body === null && !("text" in c.req.bodyCache) ? {} : await c.req.json();
  return findUnknown(c.get("policy").names, sent);
}

/**
 * Creates the router of a feature. A request that does not match its schema throws Invalid, which `failure.ts` answers.
 */
export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    router: routeTable(),
    getPath: pathOf,
    defaultHook: async (result, c) => {
      const { faults, ignored } = result.target === "json" ? await unknownFields(c) : nothingUnknown;
      const { names } = c.get("policy");
      const written = <T extends { field: string }>(one: T): T => ({ ...one, field: writtenField(names, one.field) });
      if (ignored.length > 0) c.get("warnings").push(...ignored.map(written));
      if (result.success && result.target === "query" && c.req.url.includes("?")) {
        c.get("warnings").push(...clampWarnings(c.req.query(), result.data));
      }
      if (result.success && faults.length === 0) return;
      // The hook gets the input too, which zod 4 leaves out of its issues.
      const own = result.success ? [] : faultsOf(result.error, "data" in result ? result.data : undefined);
      const sent = ignored.map(({ field }) => field);
      throw new Invalid([...faults, ...nameMisspelt(own, sent)].map(written));
    },
  });
}
