import { z } from "zod";
import { foreignNamesOfAddress } from "../../core/mail/foreign-address";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { CursorQuery } from "../../http/params";
import { createRouter } from "../../http/router";
import { addSuppression } from "./add";
import { addSuppressions } from "./add-many";
import { foreignNamesOfSuppressions } from "./foreign-names";
import { listSuppressions } from "./list";
import { removeSuppression } from "./remove";
import { AddedSuppressions, AddSuppression, AddSuppressions, Suppression, SuppressionPage } from "./schema";
import { suppressionJson } from "./suppression";

export const suppressions = createRouter();
const tags = ["Suppressions"];

const list = createRoute({
  method: "get",
  path: "/suppressions",
  operationId: "listSuppressions",
  tags,
  summary: "List the suppressed addresses",
  request: { query: CursorQuery },
  responses: { ...ok(SuppressionPage), ...errors(400, 422) },
});

suppressions.openapi(list, async (c) => c.json(await listSuppressions(c.var.ctx, c.req.valid("query")), 200));

const add = createRoute({
  method: "post",
  path: "/suppressions",
  operationId: "addSuppression",
  tags,
  summary: "Suppress an address, so that it gets no mail of any type",
  foreignNames: foreignNamesOfAddress,
  request: body(AddSuppression),
  responses: { ...created(Suppression), ...errors(400, 403, 413, 422) },
});

suppressions.openapi(add, async (c) => {
  const row = await addSuppression(c.var.ctx, c.req.valid("json"));
  return c.json(suppressionJson(row), 201);
});

const addMany = createRoute({
  method: "post",
  path: "/suppressions/bulk",
  operationId: "addManySuppressions",
  tags,
  summary: "Bring the suppression list of another service along",
  description: "All of the call is done, or nothing. An address that is listed already keeps its reason and time.",
  foreignNames: foreignNamesOfSuppressions,
  request: body(AddSuppressions),
  responses: { ...ok(AddedSuppressions), ...errors(400, 403, 413, 422) },
});

suppressions.openapi(addMany, async (c) => c.json(await addSuppressions(c.var.ctx, c.req.valid("json")), 200));

const EmailParam = z.object({
  email: z.string().meta({ param: { name: "email", in: "path" }, example: "gone@example.com" }),
});

const remove = createRoute({
  method: "delete",
  path: "/suppressions/{email}",
  operationId: "removeSuppression",
  tags,
  summary: "Remove an address from the suppression list",
  request: { params: EmailParam },
  responses: { ...noContent, ...errors(403, 404) },
});

suppressions.openapi(remove, async (c) => {
  await removeSuppression(c.var.ctx, c.req.valid("param").email);
  return c.body(null, 204);
});
