import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

const header = "X-Request-ID";
const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** One id for a request, in its answer, its errors and its log lines: the caller's own if it is a plain one. */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header(header);
  const id = given && acceptable.test(given) ? given : crypto.randomUUID();
  c.set("requestId", id);
  c.header(header, id);
  await next();
};
