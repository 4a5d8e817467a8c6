import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { RoleTooLow } from "../core/people/errors";
import { masked, RevealingCursor, withoutAddressesIn } from "../core/people/masked";
import { type Success, successes, successNames } from "./operation";
import type { AppEnv } from "./router";
import { operationOf } from "./routes";

/**
 * Masks addresses, data and bodies in every answer to a person who is not allowed to see them. An answer that cannot be
 * masked is refused.
 */
export const hidePersonalData: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (!c.get("hidesPersonalData") || c.get("isMasked") || c.res.body === null) return;
  if (!c.res.headers.get("Content-Type")?.includes("json")) {
    if (c.res.ok) throw notSeen();
    return;
  }
  const answer: unknown = await c.res.json();
  const shown = c.res.ok ? hide(answer, schemaOf(c, c.res.status)) : withoutAddressesIn(answer);
  c.res = Response.json(shown, c.res);
};

/** How the fields of a streamed answer are masked: as a whole, or item by item. */
export interface StreamMask {
  whole(value: unknown, field: string): unknown;
  item(value: unknown, field: string): unknown;
}

/** Masks an answer while it is sent as a stream. Returns null when the caller is allowed to see everything. */
export function streamMask(c: HonoContext<AppEnv>): StreamMask | null {
  if (!c.get("hidesPersonalData")) return null;
  c.set("isMasked", true);
  const schema = schemaOf(c, 200);
  const whole = (value: unknown, field: string) => Object.values(Object(hide({ [field]: value }, schema)))[0];
  return { whole, item: (value, field) => Object.values(Object(whole([value], field)))[0] ?? null };
}

function hide(answer: unknown, schema: z.ZodType | undefined): unknown {
  try {
    return masked(answer, schema);
  } catch (error) {
    throw error instanceof RevealingCursor ? notSeen() : error;
  }
}

function schemaOf(c: HonoContext<AppEnv>, status: number): z.ZodType | undefined {
  const operation = operationOf(c.get("policy"));
  const name = successNames.find((one) => operation?.[one] !== undefined && successes[one].status === status);
  const success: Success | undefined = name && operation?.[name];
  return success && ("schema" in success ? success.schema : success);
}

function notSeen(): RoleTooLow {
  return new RoleTooLow("viewer", { role: "viewer", seesPersonalData: true });
}
