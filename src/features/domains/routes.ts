import { z } from "zod";
import { publicId } from "../../core/ids";
import { IdParam, pathId } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { addDomain, alreadyHere } from "./add";
import { checkDomain } from "./check";
import { domainJson } from "./domain";
import { foreignNamesOfDomain } from "./foreign-names";
import { listDomains } from "./list";
import { takenElsewhere } from "./name";
import { domainInUse, removeDomain } from "./remove";
import { AddDomain, Domain, Domains } from "./schema";

export const domains = projectRoutes("Domains");

domains.post(
  "/domains",
  {
    id: "addDomain",
    isAudited: true,
    role: "admin",
    summary: "Add a sender domain",
    description: "Returns the DNS records to create. You can send mail from the domain once it is VERIFIED.",
    body: AddDomain,
    created: Domain,
    also: [404, 503],
    refusals: () => [alreadyHere("acme.example")],
    foreignNames: foreignNamesOfDomain,
  },
  async (ctx, { body }) => domainJson(ctx.project, await addDomain(ctx, body)),
);

domains.get(
  "/domains",
  { id: "listDomains", summary: "List the sender domains of the project", ok: Domains },
  async (ctx) => {
    const rows = await listDomains(ctx);
    return rows.map((row) => domainJson(ctx.project, row));
  },
);

domains.get(
  "/domains/project/{projectId}",
  {
    id: "listDomainsOfProject",
    summary: "List the sender domains of a project",
    description: "The project must be that of the key; any other is a 404. Same as `GET /domains`.",
    params: z.object({ projectId: pathId("projectId") }),
    ok: Domains,
  },
  async (ctx, { params }) => {
    const rows = await listDomains(ctx, publicId(params.projectId));
    return rows.map((row) => domainJson(ctx.project, row));
  },
);

domains.get(
  "/domains/{id}/verify",
  {
    id: "verifyDomain",
    summary: "Check a sender domain now",
    description:
      "Checks every DNS record, asks the mail provider, and returns the result. The domain is VERIFIED " +
      "once all required records exist and the provider confirms it. Domains are also checked in the " +
      "background: PENDING ones every 5 minutes, less often after three days; VERIFIED ones every hour. A " +
      "domain stays VERIFIED until its checks have failed for 72 hours.",
    // The route writes the result of the check, so it must not read from a copy that lags.
    readsCopies: false,
    params: IdParam,
    ok: Domain,
    also: [503],
    refusals: () => [takenElsewhere("acme.example")],
  },
  async (ctx, { params }) => domainJson(ctx.project, await checkDomain(ctx, params.id)),
);

domains.delete(
  "/domains/{id}",
  {
    id: "removeDomain",
    isAudited: true,
    role: "admin",
    summary: "Remove a sender domain",
    description:
      "No more mail is sent from the domain. 409 while a template or a scheduled email uses it as the " +
      "sender domain.",
    params: IdParam,
    refusals: () => [
      domainInUse("acme.example", [{ type: "template", id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Welcome" }]),
    ],
  },
  (ctx, { params }) => removeDomain(ctx, params.id),
);
