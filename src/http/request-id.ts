import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./router";

const header = "X-Request-ID";
const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives each request an id for its answer, errors and log lines. If the caller sends a simple id, that one is used. */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header(header);
  const id = given && acceptable.test(given) ? given : crypto.randomUUID();
  c.set("requestId", id);
  c.header(header, id);
  await next();
};
