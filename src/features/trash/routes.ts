import { z } from "zod";
import { NotFound } from "../../core/errors";
import { type Id, readId } from "../../core/ids";
import { readTrashType, type TrashType, trashTypes } from "../../core/trash";
import { needsMore } from "../../engine/trash/needs";
import { CursorQuery, pathId } from "../../http/params";
import { projectRoutes, type Routes } from "../../http/routes";
import type { Context } from "../../platform/context";
import { endEntry } from "./end-entry";
import { listTrash } from "./list";
import { TrashPage, TrashType as TypeOfTrash } from "./schema";

/** How the resources of one type are restored. */
export interface Restorer {
  /** The schema of a resource, as its GET shows it. */
  schema: z.ZodType;
  restore(ctx: Context, id: Id): Promise<unknown>;
}

const TrashParam = z.object({
  // Any string is accepted, because an unknown type is a 404, like an unknown id.
  type: z.string().meta({ param: { name: "type", in: "path" }, enum: trashTypes, example: "template" }),
  id: pathId("id"),
});

/** Creates the routes of the trash. Each type is restored by the feature that it belongs to. */
export function trashRoutes(restorers: Record<TrashType, Restorer>): Routes<Context> {
  const trash = projectRoutes("Trash");
  trash.get(
    "/trash",
    {
      id: "listTrash",
      summary: "List what was deleted and can be restored, newest deletion first",
      description:
        "Deleted templates, campaigns, segments and workflows stay in the trash for 30 days. Until then, " +
        "`POST /trash/{type}/{id}/restore` brings them back. Nothing else lists or uses them. The trash of a project has at most " +
        "10,000 of them: a deletion beyond that deletes the oldest permanently.",
      query: CursorQuery.extend({ type: TypeOfTrash.optional() }),
      ok: TrashPage,
    },
    (ctx, { query }) => listTrash(ctx, query),
  );
  trash.post(
    "/trash/{type}/{id}/restore",
    {
      id: "restoreTrash",
      isAudited: true,
      grows: false,
      once: true,
      summary: "Restore what was deleted",
      description:
        "Returns the resource, with its old id. A template comes back with its versions, a campaign with its " +
        "state and figures, a segment with its condition or members, and a workflow disabled, with its ended " +
        "executions. A tracked segment records events only for contacts that have entered or left since. 404 " +
        "if the trash does not have it, as after 30 days. 409 if something that it refers to was deleted " +
        "too, if another segment has its slug, or if the project may not have more of its type. With an " +
        "`Idempotency-Key`, a repeat gets the first answer again.",
      params: TrashParam,
      ok: {
        schema: z.union(trashTypes.map((type) => restorers[type].schema)),
        example: restorers.template.schema.meta()?.example,
      },
      refusals: () => [
        needsMore("campaign", [
          { type: "segment", id: "0199a0f2-8b20-7f42-a1d3-6c7d8e9f0a1b", name: "On the pro plan", inTrash: true },
        ]),
      ],
    },
    async (ctx, { params: { type, id } }) => restorers[typeOf(type)].restore(ctx, id),
  );
  trash.delete(
    "/trash/{type}/{id}",
    {
      id: "deleteFromTrash",
      isAudited: true,
      summary: "Delete for good what is in the trash",
      description: "The resource can no longer be restored. Its space is free within a few hours.",
      params: TrashParam,
    },
    (ctx, { params: { type, id } }) => endEntry(ctx, typeOf(type), id),
  );
  return trash;
}

/** Returns the type in a path. Throws NotFound. */
function typeOf(type: string): TrashType {
  const known = readTrashType(type);
  if (known === null) throw new NotFound("trash entry", readId(type));
  return known;
}
