import type { MiddlewareHandler } from "hono";

const exposed = "RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Retry-After,X-Request-ID";
const accepted = "Authorization,Content-Type,Idempotency-Key,X-Request-ID";

/** One day. Browsers have lower limits: Chromium's is two hours. */
const maxAgeSeconds = "86400";

/**
 * Lets browsers call from any page and read the answer. The headers are set before the answer exists: adding them to a
 * finished answer, as hono's own middleware does, would build the headers three times.
 */
export const cors: MiddlewareHandler = async (c, next) => {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", exposed);
  if (c.req.method !== "OPTIONS") return next();
  c.header("Access-Control-Allow-Methods", "POST,OPTIONS");
  c.header("Access-Control-Allow-Headers", accepted);
  c.header("Access-Control-Max-Age", maxAgeSeconds);
  c.header("Vary", "Access-Control-Request-Headers");
  return c.body(null, 204);
};
