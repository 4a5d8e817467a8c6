import { desc, type SQL, sql } from "drizzle-orm";
import { asId as idOf, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, columns, orNull } from "../../db/rows";
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
  const named = namedFilters(filters);
  const [after = null] = readCursor(cursor, ById, named) ?? [];
  const isMatch = filtersOf(filters);
  const window = windowOf(ctx, filters, after);
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(
      sql`SELECT e.id FROM (${window}) e WHERE ${isMatch} ORDER BY e.id DESC LIMIT ${limit + 1}`,
      columns({ id: asId }),
    ),
  );
  const scanned = batch.add(
    statement(
      sql`SELECT count(*) AS seen, min(e.id) AS last, sum(${isMatch}) AS matching FROM (${window}) e`,
      columns({ seen: asNumber, last: orNull(asId), matching: orNull(asNumber) }),
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
    cursor: next === null ? "" : writeCursor([textOf(next)], named),
    hasMore: next !== null,
    total: after === null ? (matching ?? 0) : 0,
    ...(after === null && isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

/** The newest that may match: of one contact by their index, and sorted after; of the project in the order of the key. */
function windowOf(ctx: Context, { contactId }: EmailFilters, after: string | null): SQL {
  const isBehind = after === null ? sql`` : sql`AND id < ${idOf(after)}`;
  const [index, isTheirs] =
    contactId === undefined ? [sql``, sql``] : [sql`INDEXED BY ux_emails_contact`, sql`AND contact_id = ${contactId}`];
  return sql`SELECT project_id, id, content_id, status, campaign_id, source FROM emails ${index}
    WHERE project_id = ${ctx.project.number} ${isTheirs} ${isBehind} ORDER BY id DESC LIMIT ${windowRows}`;
}

function filtersOf({ status, campaignId, templateId, source }: EmailFilters): SQL {
  const ofTemplate = sql`EXISTS (SELECT 1 FROM email_contents content WHERE content.project_id = e.project_id
    AND content.id = e.content_id AND content.template_id = ${templateId})`;
  const filters = [
    ...(status === undefined ? [] : [sql`e.status = ${status}`]),
    ...(campaignId === undefined ? [] : [sql`e.campaign_id IS ${campaignId}`]),
    ...(templateId === undefined ? [] : [ofTemplate]),
    ...(source === undefined ? [] : [sql`e.source = ${source}`]),
  ];
  return filters.length === 0 ? sql`true` : sql`(${sql.join(filters, sql` AND `)})`;
}

/** The filters by the texts that a cursor is made for. */
function namedFilters({ contactId, campaignId, templateId, ...others }: EmailFilters) {
  return {
    ...others,
    contactId: contactId && textOf(contactId),
    campaignId: campaignId && textOf(campaignId),
    templateId: templateId && textOf(templateId),
  };
}
