import { desc, type SQL, sql } from "drizzle-orm";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { commit, statement } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import { emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import { emailJson, selectEmails } from "./email";
import type { EmailFilters } from "./schema";

/**
 * Emails that one statement may look at. A filter that few pass would else walk through all that a project has: the
 * page then ends early, says that there is more, and its cursor goes on behind the last one looked at.
 */
const windowRows = mostRowsPerStatement;

/** A page of emails, newest first. Throws BadRequest on an unreadable cursor. */
export async function listEmails(
  ctx: Context,
  search: EmailFilters & { cursor?: string; limit: number },
): Promise<Page<ReturnType<typeof emailJson>>> {
  const { cursor, limit, ...filters } = search;
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const isMatch = filtersOf(filters);
  const window = sql`SELECT * FROM emails WHERE project_id = ${ctx.project.id}
    ${after === null ? sql`` : sql`AND id < ${after}`} ORDER BY id DESC LIMIT ${windowRows}`;
  const [found = [], [edge] = []] = await commit(ctx.db, [
    statement(ctx.db, sql`SELECT id FROM (${window}) WHERE ${isMatch} ORDER BY id DESC LIMIT ${limit + 1}`),
    statement(ctx.db, sql`SELECT count(*) AS seen, min(id) AS last, sum(${isMatch}) AS matching FROM (${window})`),
  ]);
  const ids = found.slice(0, limit).map((row) => String(row.id));
  const isCut = Number(edge?.seen) === windowRows;
  const next = found.length > limit ? ids.at(-1) : isCut ? String(edge?.last) : undefined;
  const isOneOf = sql`${emails.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = ids.length === 0 ? [] : await selectEmails(ctx, isOneOf).orderBy(desc(emails.id));
  return {
    data: rows.map(emailJson),
    cursor: next === undefined ? "" : writeCursor([next], filters),
    hasMore: next !== undefined,
    total: after === null ? Number(edge?.matching ?? 0) : 0,
    ...(after === null && isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

function filtersOf({ status, contactId, campaignId, templateId, source }: EmailFilters): SQL {
  const columns = { status, contact_id: contactId, campaign_id: campaignId, template_id: templateId, source };
  const filters = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`coalesce(${sql.identifier(column)} = ${value}, false)`],
  );
  return filters.length === 0 ? sql`true` : sql.join(filters, sql` AND `);
}
