import { body, created, createRoute, errors, noContent, ok } from "../../../http/define";
import { ProjectParam, pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { foreignNamesOfKey } from "../foreign-names";
import { CreatedKey, CreateKey, Keys } from "../schema";
import { addKey } from "./add";
import { createdKeyJson, keyJson } from "./key";
import { listKeys } from "./list";
import { revokeKey } from "./revoke";

export const keys = createRouter();
const tags = ["Operator"];
const policy = { key: "operator" } as const;

const add = createRoute({
  method: "post",
  path: "/admin/projects/{id}/keys",
  operationId: "addKey",
  tags,
  policy,
  summary: "Create another key",
  foreignNames: foreignNamesOfKey,
  request: { params: ProjectParam, ...body(CreateKey) },
  responses: { ...created(CreatedKey), ...errors(400, 404, 413, 422) },
});

keys.openapi(add, async (c) => {
  const { key, row } = await addKey(c.var.platform, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ ...createdKeyJson(row), key }, 201);
});

const list = createRoute({
  method: "get",
  path: "/admin/projects/{id}/keys",
  operationId: "listKeys",
  tags,
  policy,
  summary: "List the keys of a project, with prefixes only",
  request: { params: ProjectParam },
  responses: { ...ok(Keys), ...errors(404) },
});

keys.openapi(list, async (c) => {
  const rows = await listKeys(c.var.platform, c.req.valid("param").id);
  return c.json(rows.map(keyJson), 200);
});

const revoke = createRoute({
  method: "delete",
  path: "/admin/projects/{id}/keys/{keyId}",
  operationId: "revokeKey",
  tags,
  policy,
  summary: "Revoke a key",
  description: "The key stops working everywhere within 30 seconds.",
  request: { params: ProjectParam.extend({ keyId: pathId("keyId") }) },
  responses: { ...noContent, ...errors(404) },
});

keys.openapi(revoke, async (c) => {
  const { id, keyId } = c.req.valid("param");
  await revokeKey(c.var.platform, id, keyId);
  return c.body(null, 204);
});
