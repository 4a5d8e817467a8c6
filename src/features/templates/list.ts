import { sql } from "drizzle-orm";
import type { EmailType } from "../../core/mail/status";
import { searchText } from "../../core/search";
import { commit, statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { readTemplate, type Template, templateColumns, templatesWithVersions } from "./template";

interface TemplateQuery {
  page: number;
  pageSize: number;
  type?: EmailType;
  search?: string;
  sort: "name" | "createdAt" | "updatedAt";
  dir: "asc" | "desc";
}

// The search text begins with the name in lower case: "apple" goes before "Zebra".
const orders = { name: sql`t.search_text`, createdAt: sql`t.created_at`, updatedAt: sql`t.updated_at` };
const directions = { asc: sql`ASC`, desc: sql`DESC` };

/** One page of the project's templates. */
export async function listTemplates(
  ctx: Context,
  { page, pageSize, type, search, sort, dir }: TemplateQuery,
): Promise<{ templates: Template[]; total: number }> {
  const conditions = [
    sql`t.project_id = ${ctx.project.id}`,
    ...(type ? [sql`v.type = ${type}`] : []),
    ...(search ? [sql`instr(t.search_text, ${searchText(search)}) > 0`] : []),
  ];
  const found = sql`FROM ${templatesWithVersions} WHERE ${sql.join(conditions, sql` AND `)}`;
  const direction = directions[dir];
  const [counted, rows = []] = await commit(ctx.db, [
    statement(ctx.db, sql`SELECT count(*) AS total ${found}`),
    statement(
      ctx.db,
      sql`SELECT ${templateColumns} ${found} ORDER BY ${orders[sort]} ${direction}, t.id ${direction}
        LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
    ),
  ]);
  return { templates: rows.map(readTemplate), total: Number(counted?.[0]?.total) };
}
