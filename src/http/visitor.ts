import type { Context as HonoContext } from "hono";
import { BadRequest, NotAuthenticated, UnknownRoute } from "../core/errors";
import { CrossSiteWrite, ProofNeeded } from "../core/people/errors";
import { hasProof, type Visitor } from "../core/people/visitor";
import type { Platform, Project } from "../platform/context";
import { accessPath, isLetThrough } from "./access-header";
import { originOf } from "./origin";
import type { AppEnv } from "./router";
import { sessionOf } from "./session-cookie";

/**
 * The functions that find people and projects. `engine/people` and `engine/projects` provide them, because `http` may
 * not import either.
 */
export interface People {
  findVisitor(platform: Platform, session: string): Promise<Visitor | null>;
  findProject(platform: Platform, id: string): Promise<Project | null>;
  /** Returns the names of a few people who are allowed to send in a project. */
  findSenders(platform: Platform, project: Project): Promise<string[]>;
}

/**
 * Returns the person whose session the request has; null when it has none. A request with both a session and a key is
 * refused, because it would be unclear whose rights apply.
 */
export async function visitorOf(c: HonoContext<AppEnv>, people: People): Promise<Visitor | null> {
  const session = sessionOf(c);
  if (session === null) return null;
  if (c.req.raw.headers.has("Authorization")) throw bothKeyAndSession();
  const visitor = await people.findVisitor(c.get("platform"), session);
  if (visitor === null) throw sessionOver(isLetThrough(c));
  requireOwnOrigin(c);
  c.set("visitor", visitor);
  return visitor;
}

/** Admits a person to a route of the console. While the console is closed, these routes do not exist. */
export async function admitPerson(c: HonoContext<AppEnv>, people: People): Promise<void> {
  refuseWhenClosed(c);
  const visitor = await visitorOf(c, people);
  if (visitor === null) throw sessionOver(isLetThrough(c));
  requireProof(c, visitor);
}

/** Refuses a call that needs a recent sign-in, unless the person has signed in within the last ten minutes. */
export function requireProof(c: HonoContext<AppEnv>, visitor: Visitor): void {
  const { needsProof } = c.get("policy");
  if (needsProof && !hasProof(visitor, c.get("platform").now.getTime())) throw new ProofNeeded();
}

/** Refuses the request as an unknown path while the console is closed. */
export function refuseWhenClosed(c: HonoContext<AppEnv>): void {
  if (!c.get("platform").config.hasConsole) throw new UnknownRoute(c.req.method, c.req.path);
}

/**
 * Refuses a write from another site. Browsers send the cookie with requests of other sites' pages too, but always state
 * the origin of a request that changes something.
 */
function requireOwnOrigin(c: HonoContext<AppEnv>): void {
  const isSafe = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isSafe && !isFromOurPage(c)) throw new CrossSiteWrite();
}

/**
 * Whether the browser states that one of our own pages sends the request. A form of a page without a referrer has the
 * origin `null` (https://fetch.spec.whatwg.org/#append-a-request-origin-header). A sandboxed page has this origin too,
 * but the browser then states that the request is from another site.
 */
function isFromOurPage(c: HonoContext<AppEnv>): boolean {
  const origin = c.req.header("Origin") ?? "null";
  if (origin === "null") return c.req.header("Sec-Fetch-Site") === "same-origin";
  const { config } = c.get("platform");
  return origin === originOf(c.req.url) || (config.baseUrl !== null && origin === originOf(`${config.baseUrl}/`));
}

/**
 * Refuses a request whose headers show that the browser sends it for another site. Called for routes without a session.
 */
export function refuseCrossSite(c: HonoContext<AppEnv>): void {
  const isSaid = c.req.header("Origin") !== undefined || c.req.header("Sec-Fetch-Site") !== undefined;
  if (isSaid && !isFromOurPage(c)) throw new CrossSiteWrite();
}

/**
 * Creates the refusal of a request without a valid session. If Cloudflare Access has let the request through, the
 * refusal says where to sign in with Access.
 */
export function sessionOver(isByAccess = false): NotAuthenticated {
  return new NotAuthenticated("Nobody is signed in here: there is no session, or it has ended.", {
    suggestion: "Sign in at /console.",
    ...(isByAccess && { details: { access: accessPath } }),
  });
}

function bothKeyAndSession(): BadRequest {
  return new BadRequest("This request has both a key and a session.", {
    suggestion: "Send one of them: a key in the Authorization header, or the cookie of the console.",
  });
}

/** Returns the person who makes the call. Only for routes whose policy requires a person. */
export function visitorIn(c: HonoContext<AppEnv>): Visitor {
  const visitor = c.get("visitor");
  if (visitor === undefined) throw new Error("A route for people was called without one");
  return visitor;
}
