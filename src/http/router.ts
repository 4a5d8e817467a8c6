import { OpenAPIHono } from "@hono/zod-openapi";
import { Invalid } from "../core/errors";
import type { Context, Platform } from "../platform/context";
import type { Env } from "../platform/env";
import { faultsOf } from "./faults";
import type { Policy } from "./policy";
import { routeTable } from "./route-table";

/** What a handler finds on `c.var`. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** What holds for the route that was asked for. */
    policy: Policy;
    /** The world without a project: for the door itself, operators and recipients. */
    platform: Platform;
    /** The world with the caller's project. Set once a key is accepted. */
    ctx: Context;
  };
}

/** A feature's routes. A request that does not fit its schema is thrown as Invalid, and ends in `failure.ts`. */
export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    router: routeTable(),
    defaultHook: (result) => {
      // The hook also sees the input, which zod 4 leaves out of its issues.
      if (!result.success) throw new Invalid(faultsOf(result.error, "data" in result ? result.data : undefined));
    },
  });
}
