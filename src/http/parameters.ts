import type { MiddlewareHandler } from "hono";
import { closestTo } from "../core/closest";
import { type FieldFault, Invalid } from "../core/errors";
import { shownValue } from "../core/faults";
import { parameterAdvice } from "./foreign-parameters";
import { mostNamed, shownName } from "./names";
import { takesKey } from "./policy";
import type { AppEnv } from "./router";

/** The message for a query parameter of an endpoint that takes none. */
export const noParameters = "This endpoint takes no query parameters";

/**
 * Refuses query parameters that have no effect. The recipients' pages accept any parameter, because mail clients add
 * their own.
 */
export const refuseUnknownParameters: MiddlewareHandler<AppEnv> = (c, next) => {
  const { url } = c.req;
  if (!url.includes("?")) return next();
  const policy = c.get("policy");
  const known = policy.names()?.query;
  if (known === undefined || !takesKey(policy)) return next();
  const parameters = new URL(url).searchParams;
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.has(name));
  if (unknown.length === 0) return next();
  throw new Invalid(unknown.slice(0, mostNamed).map((name) => faultOf(name, known, parameters.get(name))));
};

function faultOf(name: string, known: ReadonlySet<string>, value: string | null): FieldFault {
  const all = known.size === 0 ? noParameters : `Must be one of ${[...known].join(", ")}`;
  const meant = closestTo(name, known);
  const advice = parameterAdvice(name, known) ?? (meant === null ? null : `Did you mean ${meant}?`);
  const message = advice === null ? all : `${advice.replace(/[^?]$/, "$&.")} ${all}`;
  return { field: shownName(name), code: "custom", message, ...shownValue(value ?? undefined) };
}
