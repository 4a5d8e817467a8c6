import type { Context as HonoContext } from "hono";
import { BadRequest, NotFound } from "../core/errors";
import { RoleTooLow } from "../core/people/errors";
import { isAtLeast, type Rights, type Role } from "../core/people/role";
import { hasProof, rightsIn, type Visitor } from "../core/people/visitor";
import { forProject, type Project } from "../platform/context";
import { type Policy, roleNeededBy } from "./policy";
import type { AppEnv } from "./router";
import { routeOf } from "./routing";
import { type People, requireProof, visitorOf } from "./visitor";

/** The header in which a request of the console names one of the person's projects. */
const projectHeader = "Petrel-Project";

/**
 * Admits a person with a session to one of their projects, and puts the project's context on the request. Returns false
 * when the request has no session.
 */
export async function admitMember(c: HonoContext<AppEnv>, people: People): Promise<boolean> {
  const visitor = await visitorOf(c, people);
  if (visitor === null) return false;
  const id = c.req.header(projectHeader);
  if (id === undefined) throw withoutProject();
  const { project, rights } = await findMembership(c, people, visitor, id);
  const policy = c.get("policy");
  if (routeOf(c)) {
    requireRole(rights, roleNeededBy(policy) ?? "owner");
    requireProof(c, visitor);
    if (!rights.maySend) await limitToDrafts(c, people, { project, rights });
  }
  c.set("hidesPersonalData", !rights.seesPersonalData);
  const platform = c.get("platform");
  const isProved = hasProof(visitor, platform.now.getTime());
  c.set("ctx", { ...forProject(platform, project, "session"), hasProof: isProved });
  return true;
}

/**
 * Admits an owner to the operator's routes, and an admin to those routes of their own project that allow it. Returns
 * false when the request has no session.
 */
export async function admitToAdmin(c: HonoContext<AppEnv>, people: People): Promise<boolean> {
  const visitor = await visitorOf(c, people);
  if (visitor === null) return false;
  if (!visitor.person.isOwner) {
    const needed = roleNeededBy(c.get("policy")) ?? "owner";
    const id = /^\/admin\/projects\/([^/]+)/.exec(c.req.path)?.[1];
    if (needed === "owner" || id === undefined) throw new RoleTooLow(null, { role: "owner" });
    requireRole((await findMembership(c, people, visitor, id)).rights, needed);
  }
  requireProof(c, visitor);
  return true;
}

interface Membership {
  project: Project;
  rights: Rights;
}

async function findMembership(
  c: HonoContext<AppEnv>,
  people: People,
  visitor: Visitor,
  id: string,
): Promise<Membership> {
  const project = await people.findProject(c.get("platform"), id);
  const rights = project && rightsIn(visitor, project.number);
  if (project === null || rights === null) throw new NotFound("project", id);
  return { project, rights };
}

function requireRole({ role }: Rights, needed: Role): void {
  if (!isAtLeast(role, needed)) throw new RoleTooLow(role, { role: needed });
}

/**
 * Refuses the call of an editor who can only write drafts. If only some bodies send, the call is refused later, when
 * its body is known.
 */
async function limitToDrafts(c: HonoContext<AppEnv>, people: People, { project, rights }: Membership): Promise<void> {
  const { sends }: Policy = c.get("policy");
  const refuse = async () => {
    const senders = await people.findSenders(c.get("platform"), project);
    throw new RoleTooLow(rights.role, { role: "editor", maySend: true }, senders);
  };
  if (sends === true) await refuse();
  c.set("refuseToSend", refuse);
}

function withoutProject(): BadRequest {
  return new BadRequest(`A request with a session names its project in the header ${projectHeader}.`, {
    suggestion: "GET /console/me lists the projects of the person.",
  });
}
