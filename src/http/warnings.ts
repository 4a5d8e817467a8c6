import type { MiddlewareHandler } from "hono";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/** Adds to an answer that is an object what the call's verb, or its body, gave reason to warn of. */
export const tellWarnings: MiddlewareHandler<AppEnv> = async (c, next) => {
  const warnings = isForProject(c.get("policy")) ? c.get("ctx").warnings : [];
  c.set("warnings", warnings);
  await next();
  if (warnings.length === 0 || !c.res.ok || !c.res.headers.get("Content-Type")?.includes("json")) return;
  const answer: unknown = await c.res.json();
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  c.res = Response.json(isObject ? { ...answer, warnings } : answer, c.res);
};
