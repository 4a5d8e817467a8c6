import type { Page } from "../../core/page";
import { type CursorQuery, listRows } from "../../db/list-rows";
import { inProject } from "../../db/scope";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";
import { suppressionJson } from "./suppression";

/** Returns a page of the suppression list, sorted by address. */
export function listSuppressions(ctx: Context, query: CursorQuery): Promise<Page<ReturnType<typeof suppressionJson>>> {
  return listRows(ctx, suppressions, query, { where: inProject(ctx), by: "email", order: "ASC" }, suppressionJson);
}
