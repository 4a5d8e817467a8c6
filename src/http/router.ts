import { OpenAPIHono } from "@hono/zod-openapi";
import { Invalid } from "../core/errors";
import type { Context, Platform } from "../platform/context";
import type { Env } from "../platform/env";
import { faultsOf } from "./faults";
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
  };
}

/**
 * Creates the router of a feature. A request that does not match its schema throws Invalid, which `failure.ts` answers.
 */
export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    router: routeTable(),
    defaultHook: (result) => {
      // The hook gets the input too, which zod 4 leaves out of its issues.
      if (!result.success) throw new Invalid(faultsOf(result.error, "data" in result ? result.data : undefined));
    },
  });
}
