import { sql } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { auth as basicCredentials } from "hono/utils/basic-auth";
import { isLoopback } from "../core/dns";
import { NotAuthenticated, ProjectDisabled, ReadOnlyKey, UnknownRoute } from "../core/errors";
import { isOneOf, type KeyKind, kindOf, type ShownKey } from "../core/keys";
import type { Db } from "../db/client";
import { asNumber, columns } from "../db/rows";
import { selectFirst } from "../db/statement";
import { forProject, type Platform, type Project } from "../platform/context";
import { keyInBody } from "./key-in-body";
import { isForProject } from "./policy";
import { admitMember, admitToAdmin } from "./role";
import type { AppEnv } from "./router";
import { routeOf } from "./routing";
import { wrongWithKey, wrongWithValue } from "./seen-key";
import { admitPerson, type People, refuseWhenClosed } from "./visitor";

type FindCaller = (platform: Platform, key: string) => Promise<Caller | null>;

/** The caller, in the form that `engine/projects` returns. */
interface Caller {
  project: Project;
  key: ShownKey;
}

/** Returns whether the monitor key exists. */
type IsMonitorKey = (platform: Platform, key: string) => Promise<boolean>;

interface Callers {
  findCaller: FindCaller;
  people: People;
  isMonitorKey: IsMonitorKey;
}

/** Admits only callers that the route's policy names, and puts the project's context on the request. */
export function requireKey({ findCaller, people, isMonitorKey }: Callers): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { key } = c.get("policy");
    switch (key) {
      case "secret":
      case "public":
        if (key === "public" || !(await admitMember(c, people))) await admitProject(c, key, findCaller);
        break;
      case "operator":
        if (!(await admitToAdmin(c, people)) && !(await admitMonitor(c, isMonitorKey))) {
          await checkOperator(c, bearerToken(c));
        }
        break;
      case "person":
        await admitPerson(c, people);
        break;
      case "outbox":
        await checkReaderOfOutbox(c);
        break;
      case "signed":
      case "open":
        break;
    }
    if (c.get("policy").isOfConsole) refuseWhenClosed(c);
    return next();
  };
}

/** Creates the refusal of a key. `what` says what is wrong with the key. */
export function noSuchKey(what: string, kind: KeyKind): NotAuthenticated {
  return new NotAuthenticated(what, {
    suggestion:
      kind === "secret"
        ? "Send it as `Authorization: Bearer sk_…`."
        : "Send it as `Authorization: Bearer pk_…`, or as `key` in the JSON body.",
  });
}

async function admitProject(c: HonoContext<AppEnv>, kind: KeyKind, findCaller: FindCaller): Promise<void> {
  const inBody = await keyInBody(c);
  const given = inBody ?? bearerToken(c);
  const caller = given === null ? null : await findCaller(c.get("platform"), given);
  if (caller === null) {
    throw noSuchKey(inBody === null ? wrongWithKey(c.req.raw.headers) : wrongWithValue(inBody), kind);
  }
  const { project, key } = caller;
  if (kindOf(key.kind) !== kind) {
    throw new NotAuthenticated(`This endpoint needs a ${kind} key, but this is a ${key.kind} key.`, {
      suggestion:
        kind === "secret"
          ? "Use a key that begins with sk_."
          : "Use a key that begins with pk_, or call POST /events/track with a secret key.",
    });
  }
  // Checked before the gate, so that a refused call does not hold an idempotency key that another caller needs.
  if (key.kind === "read" && !c.get("policy").isRead && routeOf(c)) throw new ReadOnlyKey();
  c.set("key", key);
  c.set("ctx", { ...forProject(c.get("platform"), project, kind), foreignHost: foreignHost(c, kind) });
}

/** Admits a key of kind `monitor` to routes that accept one. Returns false when the request has no such key. */
async function admitMonitor(c: HonoContext<AppEnv>, isMonitorKey: IsMonitorKey): Promise<boolean> {
  const given = bearerToken(c);
  if (given === null || !(await isMonitorKey(c.get("platform"), given))) return false;
  if (c.get("policy").takesMonitorKey || !routeOf(c)) return true;
  throw new NotAuthenticated("This endpoint needs the operator's token, but this is a monitor key.", {
    suggestion: "Send ADMIN_TOKEN. A monitor key can only read GET /admin/health and GET /admin/metrics.",
  });
}

/** Refuses changes to a disabled project, which can still be read. */
export const refuseWritesWhenDisabled: MiddlewareHandler<AppEnv> = (c, next) => {
  const policy = c.get("policy");
  if (isForProject(policy) && !policy.isRead && c.get("ctx").project.disabled) throw new ProjectDisabled();
  return next();
};

/**
 * Checks that the caller is allowed to read the outbox. A browser cannot send a bearer token, so operators with a
 * browser enter the token as a password. The browser then also sends the password with requests that other sites
 * trigger, so a plain form must not be able to change anything in the outbox.
 */
async function checkReaderOfOutbox(c: HonoContext<AppEnv>): Promise<void> {
  const { config, control } = c.get("platform");
  if (config.mail.provider.name !== "outbox" && !(await hasTestProjects(control))) {
    throw new UnknownRoute(c.req.method, c.req.path);
  }
  if (config.isDevelopment && isTrustedHost(c)) return;
  const given = bearerToken(c) ?? basicCredentials(c.req.raw)?.password ?? null;
  await checkOperator(c, given).catch((refusal: unknown) => {
    if (!(refusal instanceof NotAuthenticated)) throw refusal;
    c.header("WWW-Authenticate", 'Basic realm="Petrel", charset="UTF-8"');
    if (!config.isDevelopment) throw refusal;
    throw new NotAuthenticated("The outbox needs the operator's token if it is opened at this host name.", {
      suggestion: "Open it on localhost, add the host name to OUTBOX_HOSTS, or give ADMIN_TOKEN as the password.",
    });
  });
}

/**
 * Whether any project has its own clock. The mail of such projects goes to the outbox, whichever provider other
 * projects use.
 */
async function hasTestProjects(control: Db): Promise<boolean> {
  const found = sql`SELECT number FROM projects WHERE test_clock AND deleted_at IS NULL LIMIT 1`;
  return (await selectFirst(control, found, columns({ number: asNumber }))) !== null;
}

/**
 * Whether the Host header is trusted. Any site can make its own name resolve to this machine (DNS rebinding), and its
 * pages can then read the answers. But a page cannot choose the Host header that the browser sends. So only this
 * machine's own names and those that the operator configured are trusted.
 */
function isTrustedHost(c: HonoContext<AppEnv>): boolean {
  const { outboxHosts } = c.get("platform").config;
  return namedHosts(c).every((name) => isLoopback(name) || outboxHosts.has(name));
}

/**
 * Returns the host of the call if links must not lead to it; otherwise null. Anyone can make a call with a public key,
 * so links lead only to trusted hosts. In production, Cloudflare decides which hosts reach this Worker, and under
 * workers.dev only our own hosts do.
 */
export function foreignHost(c: HonoContext<AppEnv>, key: KeyKind): string | null {
  const { config } = c.get("platform");
  if (config.baseUrl !== null || (config.isDevelopment && key === "secret") || isTrustedHost(c)) return null;
  const named = namedHosts(c);
  const isOurs = !config.isDevelopment && named.every((name) => name.endsWith(".workers.dev"));
  return isOurs ? null : (named[0] ?? null);
}

/**
 * Returns the origin of links in the installation's own emails; null if the only host known is an untrusted one that
 * the caller named.
 */
export function linkOrigin(c: HonoContext<AppEnv>): string | null {
  const { config, origin } = c.get("platform");
  return config.baseUrl ?? (foreignHost(c, "public") === null ? origin : null);
}

function namedHosts(c: HonoContext<AppEnv>): string[] {
  const named = [new URL(c.req.url).hostname, hostNameIn(c.req.header("Host"))];
  return named.filter((name) => name !== undefined);
}

/** Returns the host name in a header. Undefined if there is no header; empty if the header names no host. */
function hostNameIn(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (URL.parse(`http://${header}`)?.hostname ?? "");
}

export function notTheOperator(takesMonitorKey = false): NotAuthenticated {
  return new NotAuthenticated("The operator's token is missing or not valid.", {
    suggestion: takesMonitorKey
      ? "Send ADMIN_TOKEN, or a monitor key, as `Authorization: Bearer …`."
      : "Send ADMIN_TOKEN as `Authorization: Bearer …`.",
  });
}

/** Checks the operator's token. When no token is configured, the paths that need one do not exist. */
async function checkOperator(c: HonoContext<AppEnv>, given: string | null): Promise<void> {
  const { adminTokens } = c.get("platform").config;
  if (adminTokens.length === 0) throw new UnknownRoute(c.req.method, c.req.path);
  if (given === null || !(await isOneOf(given, adminTokens))) {
    throw notTheOperator(c.get("policy").takesMonitorKey);
  }
}

export function bearerToken(c: HonoContext): string | null {
  return /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}
