import type { MiddlewareHandler } from "hono";
import { RateLimited } from "../core/errors";
import { reasonOf } from "../platform/log";
import { isForProject, type Policy } from "./policy";
import type { AppEnv } from "./router";

/**
 * The period of the rate limit in wrangler.toml, in seconds. It becomes the Retry-After, because the binding does not
 * say when it will allow the next request.
 */
const periodSeconds = 10;

/**
 * Refuses floods from one IP address before anything is read. The brake is off by default, because each Cloudflare
 * location counts separately and roughly. When the binding fails, requests are admitted.
 */
export const floodBrake: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { config, log } = c.get("platform");
  const isBraked = config.hasFloodBrake && isBrakedRoute(c.get("policy"), c.req.path);
  const address = isBraked ? c.req.header("CF-Connecting-IP") : undefined;
  if (address !== undefined) {
    const outcome = await c.env.FLOOD_BRAKE.limit({ key: address }).catch((error: unknown) => {
      log("warn", "The flood brake cannot be asked", { reason: reasonOf(error) });
      return { success: true };
    });
    if (!outcome.success) throw new RateLimited("flood", periodSeconds);
  }
  await next();
};

const documents = /^\/(docs(\.md|\/.*)?|llms\.txt|openapi\.json)$/;

/**
 * Whether the brake applies to a route. It never applies to the pages of recipients or the reports of providers,
 * because their calls come from a few addresses.
 */
function isBrakedRoute(policy: Policy, path: string): boolean {
  const isSignIn = policy.isOfConsole && policy.key === "open";
  return isForProject(policy) || takesOperatorsToken(policy) || isSignIn || documents.test(path);
}

function takesOperatorsToken({ key }: Policy): boolean {
  return key === "operator" || key === "outbox";
}
