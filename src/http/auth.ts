import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { auth as basicCredentials } from "hono/utils/basic-auth";
import { NotAuthenticated, ProjectDisabled, UnknownRoute } from "../core/errors";
import { type KeyKind, sameSecret } from "../core/keys";
import { forProject, type Platform, type Project } from "../platform/context";
import type { AppEnv } from "./router";

type FindCaller = (platform: Platform, key: string) => Promise<{ project: Project; kind: KeyKind } | null>;

/** Browsers hold a public key, and these are the paths they may call; all else takes a secret one. */
const publicPaths = new Set(["/v1/track"]);

/** Accepts a key of the kind that the path takes, and puts its project's context on the request. */
export function requireKey(findCaller: FindCaller): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const kind: KeyKind = publicPaths.has(c.req.path) ? "public" : "secret";
    const key = bearerToken(c);
    const caller = key === null ? null : await findCaller(c.get("platform"), key);
    if (caller === null) {
      throw new NotAuthenticated("The API key is missing or not valid.", {
        suggestion: `Send it as \`Authorization: Bearer ${kind === "secret" ? "sk_" : "pk_"}…\`.`,
      });
    }
    if (caller.kind !== kind) {
      throw new NotAuthenticated(`This endpoint takes a ${kind} key, and this is a ${caller.kind} one.`, {
        suggestion: kind === "secret" ? "Use a key that begins with sk_." : "Use a key that begins with pk_.",
      });
    }
    c.set("ctx", forProject(c.get("platform"), caller.project));
    await next();
  };
}

/** Calls that take a body and change nothing. */
const readsByPost =
  /^(\/templates\/[^/]+\/preview|\/v1\/verify|\/contacts\/lookup|\/segments\/(preview|[^/]+\/explain))$/;

/** A disabled project can be read and not changed. */
export const refuseWritesWhenDisabled: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { method, path } = c.req;
  const isRead = method === "GET" || method === "HEAD" || (method === "POST" && readsByPost.test(path));
  if (c.get("ctx").project.disabled && !isRead) throw new ProjectDisabled();
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
  const expected = c.get("platform").config.adminToken;
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
