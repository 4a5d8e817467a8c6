import { sql } from "drizzle-orm";
import type { EmailType } from "../../core/mail/status";
import { searchText } from "../../core/search";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { templatesWithVersions } from "../../db/templates";
import { readTemplate, type StoredTemplate, templateColumns } from "../../engine/mail/template";
import type { Context } from "../../platform/context";

interface TemplateQuery {
  page: number;
  pageSize: number;
  type?: EmailType;
  search?: string;
  sort: "name" | "createdAt" | "updatedAt";
  dir: "asc" | "desc";
}

// The search text begins with the name in lower case, so "apple" sorts before "Zebra". Ids sort by time of creation.
const orders = { name: sql`t.search_text`, createdAt: sql`t.id`, updatedAt: sql`t.updated_at` };
const directions = { asc: sql`ASC`, desc: sql`DESC` };

const readPosition = columns({ position: asNumber });

/**
 * Returns one page of the project's templates. SQL sorts only ids, because a sort holds whole rows in memory, and a
 * body can be large. The rows of the page come in any order, each with its position on the page, and are sorted here.
 */
export async function listTemplates(
  ctx: Context,
  { page, pageSize, type, search, sort, dir }: TemplateQuery,
): Promise<{ templates: StoredTemplate[]; total: number }> {
  const conditions = [
    sql`${inProject(ctx, "t")}`,
    ...(type ? [sql`v.type = ${type}`] : []),
    ...(search ? [sql`instr(t.search_text, ${searchText(search)}) > 0`] : []),
  ];
  const found = sql`FROM ${type ? templatesWithVersions : sql`templates t`} WHERE ${sql.join(conditions, sql` AND `)}`;
  const direction = directions[dir];
  const onPage = sql`SELECT t.id, ${orders[sort]} AS sorted_by ${found}
    ORDER BY sorted_by ${direction}, t.id ${direction} LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`;
  const positions = sql`SELECT id, row_number() OVER (ORDER BY sorted_by ${direction}, id ${direction}) AS position
    FROM (${onPage})`;
  const batch = openBatch(ctx);
  const counted = batch.add(statement(sql`SELECT count(*) AS total ${found}`, columns({ total: asNumber })));
  const rows = batch.add(
    statement(
      sql`SELECT page.position, ${templateColumns} FROM (${positions}) page
        CROSS JOIN templates t ON ${inProject(ctx, "t")} AND t.id = page.id
        CROSS JOIN template_versions v ON v.project_id = t.project_id AND v.id = t.version_id`,
      (raw) => ({ position: readPosition(raw).position, template: readTemplate(raw) }),
    ),
  );
  await batch.commit();
  const inOrder = rows.all.toSorted((one, other) => one.position - other.position);
  return { templates: inOrder.map(({ template }) => template), total: counted.one.total };
}
