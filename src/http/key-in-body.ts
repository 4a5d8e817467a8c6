import type { Context as HonoContext } from "hono";
import { BadRequest } from "../core/errors";
import { isJsonObject } from "../core/json";
import { readBodyForKey } from "./body";
import type { AppEnv } from "./router";

/**
 * Returns the key in the body of a call without an Authorization header, if the route accepts it there. The body is
 * read within the route's limit, and stored for the route. Null when the body has no key: such a call is refused like
 * any other without a key. The body can contain the call's idempotency key as well.
 */
export async function keyInBody(c: HonoContext<AppEnv>): Promise<string | null> {
  if (!c.get("policy").keyInBody || c.req.raw.headers.has("Authorization")) return null;
  const body = await bodyOrNull(c);
  if (!isJsonObject(body) || typeof body.key !== "string" || body.key === "") return null;
  if (typeof body.idempotencyKey === "string") c.set("idempotencyKeyInBody", body.idempotencyKey);
  return body.key;
}

/**
 * Reads the body. Returns null when it is not JSON, because it then contains no key. Only callers with a key learn what
 * is wrong with their body.
 */
async function bodyOrNull(c: HonoContext<AppEnv>): Promise<unknown> {
  try {
    await readBodyForKey(c);
    return await c.req.json();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof BadRequest) return null;
    throw error;
  }
}
