import type { Context as HonoContext } from "hono";
import type { AppEnv } from "./router";

/** The header in which Cloudflare Access states, with its signature, who sends the request. */
export const accessHeader = "Cf-Access-Jwt-Assertion";

/** The path of the page that signs in a person whom Access has authenticated. */
export const accessPath = "/console/session/access";

/**
 * Whether Access is set up and the request has the header of Access. The signature in the header has not been verified
 * yet.
 */
export function isLetThrough(c: HonoContext<AppEnv>): boolean {
  return c.get("platform").config.access !== null && c.req.header(accessHeader) !== undefined;
}
