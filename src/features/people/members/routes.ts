import { RoleTooLow } from "../../../core/people/errors";
import { tooManyInvitations } from "../../../engine/people/invitation";
import { ownLinks } from "../../../engine/people/own-mail";
import { requireProject } from "../../../engine/projects/project";
import { linkOrigin } from "../../../http/auth";
import { CursorQuery, ProjectParam, pathId } from "../../../http/params";
import { operatorRoutes } from "../../../http/routes";
import { inviteMember, isMemberAlready } from "./invite";
import { listMembers } from "./list";
import { findMember, memberJson } from "./member";
import { removeMember } from "./remove";
import { InvitedMember, InviteMember, Member, MemberPage, UpdateMember } from "./schema";
import { updateMember } from "./update";

/** The people of one project. Its admins manage these people, and see no others. */
export const members = operatorRoutes("People", { isOfConsole: true });

const path = "/admin/projects/{id}/people";
const memberPath = `${path}/{personId}`;
const MemberParams = ProjectParam.extend({ personId: pathId("personId") });
const tooLow = () => new RoleTooLow("editor", { role: "admin" });

members.get(
  path,
  {
    id: "listMembers",
    role: "admin",
    summary: "List the people of a project, newest first",
    description:
      "Owners of the installation are not listed unless they are members, although they have access to " +
      "every project: see `GET /admin/people`.",
    params: ProjectParam,
    query: CursorQuery,
    ok: MemberPage,
    refusals: () => [tooLow()],
  },
  (platform, { params, query }) => listMembers(platform, params.id, query),
);

members.post(
  path,
  {
    id: "inviteMember",
    isAudited: true,
    role: "admin",
    needsProof: true,
    summary: "Invite a person to a project",
    description:
      "The person becomes a member at once, and gets an email with a link that signs them in once, within " +
      "seven days. Later, the person signs in at `/console` with this address. A project may have at most " +
      "500 people, and send at most 50 invitations an hour.",
    params: ProjectParam,
    body: InviteMember,
    created: InvitedMember,
    refusals: () => [tooLow(), isMemberAlready(), tooManyInvitations()],
  },
  (platform, { params, body }, c) =>
    inviteMember(platform, params.id, body, { by: c.var.visitor, links: ownLinks(platform, linkOrigin(c)) }),
);

members.get(
  memberPath,
  {
    id: "getMember",
    role: "admin",
    summary: "Get a member of a project",
    params: MemberParams,
    ok: Member,
    refusals: () => [tooLow()],
  },
  async (platform, { params }) =>
    memberJson(await findMember(platform, await requireProject(platform, params.id), params.personId)),
);

members.patch(
  memberPath,
  {
    id: "updateMember",
    isAudited: true,
    role: "admin",
    needsProof: true,
    summary: "Change a person's rights in a project",
    description: "The change takes effect everywhere within 30 seconds.",
    params: MemberParams,
    body: UpdateMember,
    ok: Member,
    refusals: () => [tooLow()],
  },
  (platform, { params: { id: projectId, personId }, body }, c) =>
    updateMember(platform, { projectId, personId }, body, c.var.visitor),
);

members.delete(
  memberPath,
  {
    id: "removeMember",
    isAudited: true,
    role: "admin",
    needsProof: true,
    summary: "Remove a person from a project",
    description:
      "The person loses access to the project everywhere within 30 seconds, and keeps rights in other " + "projects.",
    params: MemberParams,
    refusals: () => [tooLow()],
  },
  (platform, { params: { id: projectId, personId } }, c) =>
    removeMember(platform, { projectId, personId }, c.var.visitor),
);
