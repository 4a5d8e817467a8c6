import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { isJsonObject } from "../core/json";
import { ErrorEnvelope } from "./envelope";
import type { AppEnv } from "./router";

/** The flat shape in which three old endpoints say that a required field is missing. */
const LegacyError = z
  .object({ error: z.string() })
  .meta({ id: "LegacyError", example: { error: "email is required" } });

/** The 400 of these endpoints: flat for a missing field, and the envelope for a body that is not JSON. */
export function legacyBadRequest(description: string, error: string) {
  const schema = z.union([LegacyError, ErrorEnvelope]);
  return { 400: { description, content: { "application/json": { schema, example: { error } } } } };
}

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
