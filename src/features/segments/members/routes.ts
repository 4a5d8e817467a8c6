import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { foreignNamesOfMembers } from "../foreign-names";
import { addMembers, removeMembers } from "./members";
import { AddedMembers, AddMembers, RemovedMembers, RemoveMembers } from "./schema";

export const members = createRouter();
const tags = ["Segments"];

const add = createRoute({
  method: "post",
  path: "/segments/{id}/members",
  operationId: "addSegmentMembers",
  tags,
  summary: "Add contacts to a STATIC segment",
  description: "400 for a DYNAMIC segment. A tracked segment records an event at once for each contact that enters.",
  foreignNames: foreignNamesOfMembers,
  request: { params: IdParam, ...body(AddMembers) },
  responses: { ...ok(AddedMembers), ...errors(400, 403, 404, 409, 413, 422) },
});

members.openapi(add, async (c) =>
  c.json(await addMembers(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
);

const removeSome = createRoute({
  method: "delete",
  path: "/segments/{id}/members",
  operationId: "removeSegmentMembers",
  tags,
  summary: "Remove contacts from a STATIC segment",
  description: "400 for a DYNAMIC segment. A tracked segment records an event at once for each contact that leaves.",
  foreignNames: foreignNamesOfMembers,
  request: { params: IdParam, ...body(RemoveMembers) },
  responses: { ...ok(RemovedMembers), ...errors(400, 403, 404, 409, 413, 422) },
});

members.openapi(removeSome, async (c) =>
  c.json(await removeMembers(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
);
