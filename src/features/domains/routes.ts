import { z } from "zod";
import { body, created, createRoute, errors, ok } from "../../http/define";
import { pathId } from "../../http/params";
import { createRouter } from "../../http/router";
import { addDomain } from "./add";
import { domainJson } from "./domain";
import { listDomains } from "./list";
import { AddDomain, Domain, Domains } from "./schema";

export const domains = createRouter();
const tags = ["Domains"];

const add = createRoute({
  method: "post",
  path: "/domains",
  operationId: "addDomain",
  tags,
  summary: "Add a sender domain",
  description: "Returns the DNS records to create. Mail can be sent from the domain once it is VERIFIED.",
  request: body(AddDomain),
  responses: { ...created(Domain), ...errors(400, 403, 404, 409, 413, 422) },
});

domains.openapi(add, async (c) => c.json(domainJson(await addDomain(c.var.ctx, c.req.valid("json"))), 201));

const list = createRoute({
  method: "get",
  path: "/domains/project/{projectId}",
  operationId: "listDomains",
  tags,
  summary: "List the sender domains of the project",
  request: { params: z.object({ projectId: pathId("projectId") }) },
  responses: { ...ok(Domains), ...errors(404) },
});

domains.openapi(list, async (c) => {
  const rows = await listDomains(c.var.ctx, c.req.valid("param").projectId);
  return c.json(rows.map(domainJson), 200);
});
