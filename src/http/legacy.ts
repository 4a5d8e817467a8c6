import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { isJsonObject } from "../core/json";
import type { AppEnv } from "./router";

/** The flat shape in which three old endpoints say that a required field is missing. */
export const LegacyError = z
  .object({ error: z.string() })
  .meta({ id: "LegacyError", example: { error: "email is required" } });

/**
 * Answers `{ error }` with 400 when one of the fields is absent, null or an empty string; goes before the route's own
 * validation. A body that is no object at all is left to that.
 */
export function legacyRequired(...fields: string[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    const missing = isJsonObject(body) ? fields.find((field) => isMissing(body[field])) : undefined;
    if (missing !== undefined) return c.json({ error: `${missing} is required` }, 400);
    return next();
  };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
