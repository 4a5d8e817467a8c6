import { desc, type SQL, sql } from "drizzle-orm";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { statement } from "../../db/statement";
import { emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import { emailJson, selectEmails } from "./email";
import type { EmailFilters } from "./schema";

/**
 * Emails that one statement may look at. A filter that few pass would else walk through all that a project has: the
 * page then ends early, says that there is more, and its cursor goes on behind the last one looked at.
 */
const windowRows = maxRowsPerStatement;

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
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(
      sql`SELECT id FROM (${window}) WHERE ${isMatch} ORDER BY id DESC LIMIT ${limit + 1}`,
      columns({ id: asText }),
    ),
  );
  const scanned = batch.add(
    statement(
      sql`SELECT count(*) AS seen, min(id) AS last, sum(${isMatch}) AS matching FROM (${window})`,
      columns({ seen: asNumber, last: orNull(asText), matching: orNull(asNumber) }),
    ),
  );
  await batch.commit();
  const ids = found.all.slice(0, limit).map(({ id }) => id);
  const { seen, last, matching } = scanned.one;
  const isCut = seen === windowRows;
  const next = (found.count > limit ? ids.at(-1) : isCut ? last : null) ?? null;
  const isOneOf = sql`${emails.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = ids.length === 0 ? [] : await selectEmails(ctx, isOneOf).orderBy(desc(emails.id));
  return {
    data: rows.map(emailJson),
    cursor: next === null ? "" : writeCursor([next], filters),
    hasMore: next !== null,
    total: after === null ? (matching ?? 0) : 0,
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
