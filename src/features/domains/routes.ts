import { z } from "zod";
import { publicId } from "../../core/ids";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { IdParam, pathId } from "../../http/params";
import { createRouter } from "../../http/router";
import { addDomain, alreadyHere } from "./add";
import { checkDomain } from "./check";
import { domainJson } from "./domain";
import { foreignNamesOfDomain } from "./foreign-names";
import { listDomains } from "./list";
import { takenElsewhere } from "./name";
import { domainInUse, removeDomain } from "./remove";
import { AddDomain, Domain, Domains } from "./schema";

export const domains = createRouter();
const tags = ["Domains"];

const add = createRoute({
  method: "post",
  path: "/domains",
  operationId: "addDomain",
  refusals: () => [alreadyHere("acme.example")],
  tags,
  summary: "Add a sender domain",
  description: "Returns the DNS records to create. Mail can be sent from the domain once it is VERIFIED.",
  foreignNames: foreignNamesOfDomain,
  request: body(AddDomain),
  responses: { ...created(Domain), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

domains.openapi(add, async (c) => {
  const { ctx } = c.var;
  return c.json(domainJson(ctx.project, await addDomain(ctx, c.req.valid("json"))), 201);
});

const list = createRoute({
  method: "get",
  path: "/domains",
  operationId: "listDomains",
  tags,
  summary: "List the sender domains of the project",
  responses: { ...ok(Domains), ...errors() },
});

domains.openapi(list, async (c) => {
  const { ctx } = c.var;
  const rows = await listDomains(ctx);
  return c.json(
    rows.map((row) => domainJson(ctx.project, row)),
    200,
  );
});

const listOfProject = createRoute({
  method: "get",
  path: "/domains/project/{projectId}",
  operationId: "listDomainsOfProject",
  tags,
  summary: "List the sender domains of a project",
  description: "The project is the key's own; any other is 404. `GET /domains` is the same without its id.",
  request: { params: z.object({ projectId: pathId("projectId") }) },
  responses: { ...ok(Domains), ...errors(404) },
});

domains.openapi(listOfProject, async (c) => {
  const { ctx } = c.var;
  const rows = await listDomains(ctx, publicId(c.req.valid("param").projectId));
  return c.json(
    rows.map((row) => domainJson(ctx.project, row)),
    200,
  );
});

const verify = createRoute({
  method: "get",
  path: "/domains/{id}/verify",
  operationId: "verifyDomain",
  // The route writes what the check finds, so it must not read from a copy that lags.
  policy: { readsCopies: false },
  refusals: () => [takenElsewhere("acme.example")],
  tags,
  summary: "Check a sender domain now",
  description:
    "Checks every DNS record, asks the mail provider, and returns the result. The domain is VERIFIED once all required " +
    "records exist and the provider agrees. Domains are also checked in the background: PENDING ones every 5 minutes, " +
    "and less often after three days; VERIFIED ones every hour. A domain stays VERIFIED until its checks have failed " +
    "for 72 hours.",
  request: { params: IdParam },
  responses: { ...ok(Domain), ...errors(404, 409, 503) },
});

domains.openapi(verify, async (c) => {
  const { ctx } = c.var;
  return c.json(domainJson(ctx.project, await checkDomain(ctx, c.req.valid("param").id)), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/domains/{id}",
  operationId: "removeDomain",
  refusals: () => [
    domainInUse("acme.example", [{ type: "template", id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Welcome" }]),
  ],
  tags,
  summary: "Remove a sender domain",
  description: "No more mail goes out from it. 409 while a template or a scheduled email sends from it.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

domains.openapi(remove, async (c) => {
  await removeDomain(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});
