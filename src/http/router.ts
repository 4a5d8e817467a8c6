import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { getPath } from "hono/utils/url";
import { type BadRequest, Invalid } from "../core/errors";
import { faultsOf } from "../core/faults";
import { nameMisspelt } from "../core/misspelt";
import type { Warning } from "../core/warning";
import type { States } from "../db/states";
import type { Context, Platform } from "../platform/context";
import type { Env } from "../platform/env";
import { findUnknown, nothingUnknown, type UnknownNames, writtenField } from "./names";
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
    /** What the request has seen of the project's database. Only where databases have copies. */
    states: States | undefined;
    /** What the answer tells the caller beside its result. */
    warnings: Warning[];
    /** What is wrong with a body that is not JSON. */
    unreadable: BadRequest;
  };
}

/** The fields of a body that its route does not read: the faults of those that it refuses, and a warning of the others. */
async function unknownFields(c: HonoContext<AppEnv>): Promise<UnknownNames> {
  // The validator has parsed the body, which is kept. In place of no body at all it took an empty object.
  const sent: unknown = c.req.raw.body === null && !("text" in c.req.bodyCache) ? {} : await c.req.json();
  return findUnknown(c.get("policy").names, sent);
}

/** A slash at the end of a path makes no difference. */
function pathOf(request: Request): string {
  const path = getPath(request);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
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
      if (result.success && faults.length === 0) return;
      // The hook gets the input too, which zod 4 leaves out of its issues.
      const own = result.success ? [] : faultsOf(result.error, "data" in result ? result.data : undefined);
      const sent = ignored.map(({ field }) => field);
      throw new Invalid([...faults, ...nameMisspelt(own, sent)].map(written));
    },
  });
}
