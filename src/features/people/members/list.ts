import { sql } from "drizzle-orm";
import { textOf } from "../../../core/ids";
import { ById, cursorPage, readCursor } from "../../../core/page";
import { asNumber, columns } from "../../../db/rows";
import { select, selectFirst } from "../../../db/statement";
import { requireProject } from "../../../engine/projects/project";
import type { Platform } from "../../../platform/context";
import { memberJson, readMember, selectMembers } from "./member";

/** Lists the members of a project, newest first. Only the first page has a `total`. */
export async function listMembers(
  platform: Platform,
  projectId: string,
  { cursor, limit }: { cursor?: string; limit: number },
) {
  const project = await requireProject(platform, projectId);
  const { control } = platform;
  const [after = null] = readCursor(cursor, ById) ?? [];
  const isOlder = after === null ? sql`true` : sql`m.person_id < ${after}`;
  const page = sql`${selectMembers(project, isOlder)} ORDER BY m.person_id DESC LIMIT ${limit + 1}`;
  const total = sql`SELECT count(*) AS total FROM memberships WHERE project_id = ${project.number}`;
  const [rows, counted] = await Promise.all([
    select(control, page, readMember),
    after === null ? selectFirst(control, total, columns({ total: asNumber })) : null,
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return cursorPage(shown.map(memberJson), { next: last ? [textOf(last.id)] : null, total: counted?.total ?? 0 });
}
