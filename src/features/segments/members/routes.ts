import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { foreignNamesOfMembers } from "../foreign-names";
import { addMembers, removeMembers } from "./members";
import { AddedMembers, AddMembers, RemovedMembers, RemoveMembers } from "./schema";

export const members = projectRoutes("Segments");

members.post(
  "/segments/{id}/members",
  {
    id: "addSegmentMembers",
    summary: "Add contacts to a STATIC segment",
    description: "400 for a DYNAMIC segment. A tracked segment records an event for each contact that enters.",
    params: IdParam,
    body: AddMembers,
    ok: AddedMembers,
    also: [409],
    foreignNames: foreignNamesOfMembers,
  },
  (ctx, { params, body }) => addMembers(ctx, params.id, body),
);

members.delete(
  "/segments/{id}/members",
  {
    id: "removeSegmentMembers",
    summary: "Remove contacts from a STATIC segment",
    description: "400 for a DYNAMIC segment. A tracked segment records an event for each contact that leaves.",
    params: IdParam,
    body: RemoveMembers,
    ok: RemovedMembers,
    also: [409],
    foreignNames: foreignNamesOfMembers,
  },
  (ctx, { params, body }) => removeMembers(ctx, params.id, body),
);
