import type { MiddlewareHandler } from "hono";
import { findUnknown } from "./names";
import { isForProject, takesKey } from "./policy";
import type { AppEnv } from "./router";

/** Adds the warnings of the call's verb and body to an answer that is an object. */
export const addWarnings: MiddlewareHandler<AppEnv> = async (c, next) => {
  const warnings = isForProject(c.get("policy")) ? c.get("ctx").warnings : [];
  c.set("warnings", warnings);
  await next();
  if (warnings.length === 0 || !c.res.ok || !c.res.headers.get("Content-Type")?.includes("json")) return;
  const answer: unknown = await c.res.json();
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  c.res = Response.json(isObject ? { ...answer, warnings } : answer, c.res);
};

/** Warns of fields in the body of a route that reads no body. Other routes check their bodies during validation. */
export const warnOfUnreadBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  const policy = c.get("policy");
  if (takesKey(policy) && "text" in c.req.bodyCache && policy.names()?.body?.size === 0) {
    const { ignored } = findUnknown(policy.names(), jsonOrNull(await c.req.text()));
    c.get("warnings").push(...ignored);
  }
  await next();
};

function jsonOrNull(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
