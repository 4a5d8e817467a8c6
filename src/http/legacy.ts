import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { isJsonObject } from "../core/json";
import { ErrorEnvelope } from "./envelope";
import type { AppEnv } from "./router";

/** The flat error body of three old endpoints for a missing required field. */
const LegacyError = z
  .object({ error: z.string() })
  .meta({ id: "LegacyError", example: { error: "email is required" } });

/** The 400 of these endpoints: flat for a missing field, the envelope for a body that is not JSON. */
export function legacyBadRequest(description: string, error: string) {
  const schema = z.union([LegacyError, ErrorEnvelope]);
  return { 400: { description, content: { "application/json": { schema, example: { error } } } } };
}

/**
 * Answers `{ error }` with 400 when one of the fields is absent, null or an empty string. Goes before the route's own
 * validation, which handles a body that is not an object.
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
