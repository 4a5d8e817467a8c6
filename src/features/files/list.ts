import type { Page } from "../../core/page";
import { type CursorQuery, listRows } from "../../db/list-rows";
import { inProject } from "../../db/scope";
import { files } from "../../db/tables";
import type { Context } from "../../platform/context";
import { fileJson } from "./file";

/** Implements `GET /files`: lists the files, newest first. */
export function listFiles(ctx: Context, query: CursorQuery): Promise<Page<ReturnType<typeof fileJson>>> {
  return listRows(ctx, files, query, { where: inProject(ctx), by: "id", order: "DESC" }, (row) => fileJson(ctx, row));
}
