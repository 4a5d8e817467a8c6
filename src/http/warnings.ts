import type { MiddlewareHandler } from "hono";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/** Adds to an answer that is an object what the call's verb, or its body, gave reason to warn of. */
export const tellWarnings: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (!isForProject(c.get("policy")) || !c.res.ok) return;
  const { warnings } = c.get("ctx");
  if (warnings.length === 0 || !c.res.headers.get("Content-Type")?.includes("json")) return;
  const answer: unknown = await c.res.json();
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  c.res = Response.json(isObject ? { ...answer, warnings } : answer, c.res);
};
