import { z } from "zod";
import { RoleTooLow } from "../../core/people/errors";
import { iso } from "../../core/time";
import { tooManyInvitations } from "../../engine/people/invitation";
import { ownLinks } from "../../engine/people/own-mail";
import { printLink } from "../../engine/people/print-link";
import { linkOrigin } from "../../http/auth";
import { CursorQuery, pathId } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { deletePerson } from "./delete";
import { getPerson } from "./get";
import { alreadyThere, invitePerson } from "./invite";
import { listPeople } from "./list";
import { members } from "./members/routes";
import {
  InvitedPerson,
  InvitePerson,
  Person,
  PersonPage,
  PrintedLinkAnswer,
  PrintLink,
  UpdatePerson,
  WholePerson,
} from "./schema";
import { lastOwner, updatePerson } from "./update";

/** People who use the console. */
export const people = operatorRoutes("People", { isOfConsole: true });
people.router.route("/", members.router);

const PersonParam = z.object({ personId: pathId("personId") });
const noOwner = () => new RoleTooLow("admin", { role: "owner" });

people.get(
  "/admin/people",
  {
    id: "listPeople",
    summary: "List the people who may use the console, newest first",
    query: CursorQuery,
    ok: PersonPage,
    refusals: () => [noOwner()],
  },
  (platform, { query }) => listPeople(platform, query),
);

people.post(
  "/admin/people",
  {
    id: "invitePerson",
    isAudited: true,
    needsProof: true,
    summary: "Invite a person to the installation",
    description:
      "Creates an owner, or a person without a project. The person gets an email with a link that signs " +
      "them in once, within seven days. To invite somebody to a project, call `POST " +
      "/admin/projects/{id}/people`. You can send at most 50 invitations an hour.",
    body: InvitePerson,
    created: InvitedPerson,
    refusals: () => [noOwner(), alreadyThere(), tooManyInvitations()],
  },
  (platform, { body }, c) =>
    invitePerson(platform, body, { by: c.var.visitor, links: ownLinks(platform, linkOrigin(c)) }),
);

people.get(
  "/admin/people/{personId}",
  {
    id: "getPerson",
    summary: "Get a person, with their projects",
    params: PersonParam,
    ok: WholePerson,
    refusals: () => [noOwner()],
  },
  (platform, { params }) => getPerson(platform, params.personId),
);

people.patch(
  "/admin/people/{personId}",
  {
    id: "updatePerson",
    isAudited: true,
    needsProof: true,
    summary: "Change a person, or make them an owner",
    description:
      "A change of role takes effect everywhere within 30 seconds. The last owner cannot lose that role. " +
      "To change a person's rights in a project, call `PATCH /admin/projects/{id}/people/{personId}`.",
    params: PersonParam,
    body: UpdatePerson,
    ok: Person,
    refusals: () => [noOwner(), lastOwner()],
  },
  (platform, { params, body }, c) => updatePerson(platform, params.personId, body, c.var.visitor),
);

people.delete(
  "/admin/people/{personId}",
  {
    id: "deletePerson",
    isAudited: true,
    needsProof: true,
    summary: "Delete a person, with their sessions and passkeys",
    description: "The person loses access to all projects within 30 seconds. You cannot delete the last owner.",
    params: PersonParam,
    refusals: () => [noOwner(), lastOwner()],
  },
  (platform, { params }, c) => deletePerson(platform, params.personId, c.var.visitor),
);

people.post(
  "/admin/people/link",
  {
    id: "printSignInLink",
    isAudited: true,
    needsProof: true,
    summary: "Create a link that signs a person in",
    description:
      "The link works once, within a day, in any browser. Use it for the first owner, or if mail does not " +
      "arrive. 404 if no person has the address. Printed links that are not used yet end when a person is deleted or is " +
      "no longer an owner.",
    body: PrintLink,
    isBodyOptional: true,
    created: PrintedLinkAnswer,
    also: [404],
  },
  async (platform, { body }, c) => {
    const { token, expiresAt } = await printLink(platform, body.email ?? null, c.var.visitor);
    const origin = platform.config.baseUrl ?? platform.origin;
    return { url: `${origin}/console/session/link/${token}`, expiresAt: iso(expiresAt) };
  },
);
