import type { MiddlewareHandler } from "hono";
import { Invalid } from "../core/errors";
import { mostNamed, shownName } from "./names";
import { takesKey } from "./policy";
import type { AppEnv } from "./router";

/** Refuses query parameters that have no effect. Recipients' pages take any, because mail clients add their own. */
export const refuseUnknownParameters: MiddlewareHandler<AppEnv> = (c, next) => {
  const { url } = c.req;
  if (!url.includes("?")) return next();
  const policy = c.get("policy");
  const known = policy.names?.query;
  if (known === undefined || !takesKey(policy)) return next();
  const unknown = [...new Set(new URL(url).searchParams.keys())].filter((name) => !known.has(name));
  if (unknown.length === 0) return next();
  const message =
    known.size === 0 ? "This endpoint takes no query parameters" : `Must be one of ${[...known].join(", ")}`;
  throw new Invalid(
    unknown.slice(0, mostNamed).map((name) => ({ field: shownName(name), code: "custom" as const, message })),
  );
};
