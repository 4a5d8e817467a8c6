import { iso } from "../../core/time";
import { printLink } from "../../engine/people/print-link";
import { CursorQuery } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { refuseWhenClosed } from "../../http/visitor";
import { listPeople } from "./list";
import { PersonPage, PrintedLinkAnswer, PrintLink } from "./schema";

/** People who use the console. */
export const people = operatorRoutes("Operator");

people.get(
  "/admin/people",
  {
    id: "listPeople",
    summary: "List the people who may use the console, newest first",
    query: CursorQuery,
    ok: PersonPage,
    also: [404],
  },
  (platform, { query }, c) => {
    refuseWhenClosed(c);
    return listPeople(platform, query);
  },
);

people.post(
  "/admin/people/link",
  {
    id: "printSignInLink",
    needsProof: true,
    summary: "Make a link that signs a person in",
    description:
      "The link works once within a day, and in any browser: it is for the first owner, and for when mail does not arrive. " +
      "404 when no person has the address.",
    body: PrintLink,
    isBodyOptional: true,
    created: PrintedLinkAnswer,
    also: [404],
  },
  async (platform, { body }, c) => {
    refuseWhenClosed(c);
    const { token, expiresAt } = await printLink(platform, body.email ?? null);
    const origin = platform.config.baseUrl ?? platform.origin;
    return { url: `${origin}/console/session/link/${token}`, expiresAt: iso(expiresAt) };
  },
);
