import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { auth as basicCredentials } from "hono/utils/basic-auth";
import { NotAuthenticated, ProjectDisabled, UnknownRoute } from "../core/errors";
import { type KeyKind, sameSecret } from "../core/keys";
import { forProject, type Platform, type Project } from "../platform/context";
import type { AppEnv } from "./router";

type FindCaller = (platform: Platform, key: string) => Promise<{ project: Project; kind: KeyKind } | null>;

/** Accepts a key of one kind and puts its project's context on the request. */
export function requireKey(kind: KeyKind, findCaller: FindCaller): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const key = bearerToken(c);
    const caller = key === null ? null : await findCaller(c.var.platform, key);
    if (caller === null) {
      throw new NotAuthenticated("The API key is missing or not valid.", {
        suggestion: "Send it as `Authorization: Bearer sk_…`.",
      });
    }
    if (caller.kind !== kind) {
      throw new NotAuthenticated(`This endpoint takes a ${kind} key, and this is a ${caller.kind} one.`, {
        suggestion: kind === "secret" ? "Use a key that begins with sk_." : "Use a key that begins with pk_.",
      });
    }
    c.set("ctx", forProject(c.var.platform, caller.project));
    await next();
  };
}

/** A disabled project can be read and not changed. */
export const refuseWritesWhenDisabled: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (c.var.ctx.project.disabled && !isRead) throw new ProjectDisabled();
  await next();
};

/** The operator's token. With none configured there is nothing to find here. */
export const requireOperator: MiddlewareHandler<AppEnv> = async (c, next) => {
  await checkOperator(c, bearerToken(c));
  await next();
};

/**
 * The operator with a browser, which cannot send a bearer token: it asks for a password, and that is the token. Browsers
 * send it along with requests of foreign pages too, so nothing behind this may be changed by a plain form.
 */
export const requireOperatorInBrowser: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = bearerToken(c) ?? basicCredentials(c.req.raw)?.password ?? null;
  await checkOperator(c, given).catch((refusal: unknown) => {
    if (refusal instanceof NotAuthenticated) c.header("WWW-Authenticate", 'Basic realm="Petrel", charset="UTF-8"');
    throw refusal;
  });
  await next();
};

async function checkOperator(c: HonoContext<AppEnv>, given: string | null): Promise<void> {
  const expected = c.var.platform.config.adminToken;
  if (expected === null) throw new UnknownRoute(c.req.method, c.req.path);
  if (given === null || !(await sameSecret(given, expected))) {
    throw new NotAuthenticated("The operator's token is missing or not valid.", {
      suggestion: "Send ADMIN_TOKEN as `Authorization: Bearer …`.",
    });
  }
}

function bearerToken(c: HonoContext): string | null {
  return /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}
