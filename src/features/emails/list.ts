import { desc, type SQL, sql } from "drizzle-orm";
import { aboveAllIds, belowAllIds, firstIdAt, asId as idOf, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import type { CursorQuery } from "../../db/list-rows";
import { asId, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst, statement } from "../../db/statement";
import { emails } from "../../db/tables";
import { conditions as countedWhen } from "../../engine/campaigns/counters";
import type { Context } from "../../platform/context";
import { emailJson, selectEmails } from "./email";
import type { EmailFilters } from "./schema";

/**
 * The maximum number of emails that one statement scans, because a filter with few matches would otherwise scan all
 * emails of a project. The scan takes some milliseconds, even if the content of each email is looked up. If the window
 * ends before the page is full, the page is shorter, `hasMore` is true, and the cursor continues after the last scanned
 * email.
 */
const windowRows = 10_000;

/**
 * If fewer emails than this can match, `total` is exact. If the window ends first, the exact count takes another round
 * trip.
 */
const maxCounted = maxRowsPerStatement;

/** Returns a page of emails, newest first. Throws BadRequest on an unreadable cursor. */
export async function listEmails(
  ctx: Context,
  filters: EmailFilters,
  { cursor, limit }: CursorQuery,
): Promise<Page<ReturnType<typeof emailJson>>> {
  const named = namedFilters(filters);
  const [after = null] = readCursor(cursor, ById, named) ?? [];
  const resolved = await withContact(ctx, filters);
  const isMatch = conditionOf(resolved);
  const candidates = candidatesOf(ctx, resolved, after);
  const window = sql`${candidates} LIMIT ${windowRows}`;
  const batch = openBatch(ctx);
  const matches = batch.add(
    statement(
      sql`SELECT e.id FROM (${window}) e WHERE ${isMatch} ORDER BY e.id DESC LIMIT ${limit + 1}`,
      columns({ id: asId }),
    ),
  );
  const scanned = batch.add(statement(countIn(window, isMatch), readCount));
  // Only the first page has a total.
  const beyond =
    after === null
      ? batch.add(statement(countIn(sql`${candidates} LIMIT 1 OFFSET ${maxCounted - 1}`, sql`true`), readCount))
      : null;
  await batch.commit();
  const ids = matches.all.slice(0, limit).map(({ id }) => id);
  const isCut = scanned.one.seen === windowRows;
  const next = (matches.count > limit ? ids.at(-1) : isCut ? scanned.one.last : null) ?? null;
  const isOneOf = sql`${emails.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = ids.length === 0 ? [] : await selectEmails(ctx, isOneOf).orderBy(desc(emails.id));
  const isApproximate = isCut && beyond?.one.seen === 1;
  const isCountedApart = after === null && isCut && !isApproximate;
  const counted = isCountedApart
    ? await selectFirst(ctx.db, countIn(sql`${candidates} LIMIT ${maxCounted}`, isMatch), readCount)
    : scanned.one;
  return {
    data: rows.map(emailJson),
    cursor: next === null ? "" : writeCursor([textOf(next)], named),
    hasMore: next !== null,
    total: after === null ? (counted?.matching ?? 0) : 0,
    ...(isApproximate && { approximate: true as const, countedAt: ctx.now.toISOString() }),
  };
}

const readCount = columns({ seen: asNumber, last: orNull(asId), matching: orNull(asNumber) });

function countIn(window: SQL, isMatch: SQL): SQL {
  return sql`SELECT count(*) AS seen, min(e.id) AS last, sum(${isMatch}) AS matching FROM (${window}) e`;
}

/** Adds the contact to a filter by address, because emails have an index by contact but none by address. */
async function withContact(ctx: Context, filters: EmailFilters): Promise<EmailFilters> {
  if (filters.to === undefined || filters.contactId !== undefined) return filters;
  const contact = await selectFirst(
    ctx.db,
    sql`SELECT id FROM contacts WHERE ${inProject(ctx)} AND email = ${filters.to}`,
    columns({ id: asId }),
  );
  return { ...filters, contactId: contact?.id };
}

/**
 * Selects the emails that can match, newest first. Emails of one execution or one contact come from an index, and are
 * sorted afterwards. FAILED and UNKNOWN emails have an index too. A campaign's emails lie in one range of ids. All
 * other emails come in key order.
 */
function candidatesOf(ctx: Context, filters: EmailFilters, after: string | null): SQL {
  const { startDate, endDate, countedAs } = filters;
  const isAfterCursor = after === null ? sql`` : sql`AND id < ${idOf(after)}`;
  // An email's id contains its time of creation.
  const since = startDate === undefined ? sql`` : sql`AND id >= ${firstIdAt(startDate.from)}`;
  const until = endDate === undefined ? sql`` : sql`AND id < ${firstIdAt(endDate.to)}`;
  const { index, isTheirs } = nearestOf(ctx, filters);
  const times = countedAs === undefined ? sql`` : timesCounted;
  return sql`SELECT project_id, id, content_id, contact_id, to_email, status, campaign_id, source, effect_id, subject ${times} FROM emails ${index}
    WHERE ${inProject(ctx)} ${isTheirs} ${isAfterCursor} ${since} ${until} ORDER BY id DESC`;
}

const timesCounted = sql`, delivered_at, opened_at, clicked_at, complained_at, bounced_at, unsubscribed_at`;

interface Nearest {
  index: SQL;
  isTheirs: SQL;
}

function nearestOf(ctx: Context, { executionId, contactId, campaignId, status }: EmailFilters): Nearest {
  if (executionId !== undefined) {
    const [from, to] = [`${textOf(executionId)}:`, `${textOf(executionId)};`];
    return { index: sql`INDEXED BY ux_emails_effect`, isTheirs: sql`AND effect_id >= ${from} AND effect_id < ${to}` };
  }
  if (contactId !== undefined) {
    return { index: sql`INDEXED BY ux_emails_contact`, isTheirs: sql`AND contact_id = ${contactId}` };
  }
  if (campaignId !== undefined) {
    const pages = sql`FROM campaign_pages WHERE ${inProject(ctx)} AND campaign_id = ${campaignId} ORDER BY first_id`;
    const [first, last] = [sql`(SELECT first_id ${pages} LIMIT 1)`, sql`(SELECT last_id ${pages} DESC LIMIT 1)`];
    // The emails of a deleted campaign remain, but its pages do not.
    const isBetween = sql`AND id >= coalesce(${first}, ${belowAllIds}) AND id <= coalesce(${last}, ${aboveAllIds})`;
    return { index: sql``, isTheirs: isBetween };
  }
  if (status !== "FAILED" && status !== "UNKNOWN") return { index: sql``, isTheirs: sql`` };
  return { index: sql`INDEXED BY ix_emails_unsent`, isTheirs: sql`AND status IN ('FAILED', 'UNKNOWN')` };
}

function conditionOf(filters: EmailFilters): SQL {
  const { status, countedAs, contactId, campaignId, templateId, workflowId, source, to, subject } = filters;
  const ofContent = (value: SQL) => sql`(SELECT ${value} FROM email_contents content
    WHERE content.project_id = e.project_id AND content.id = e.content_id)`;
  // Matches the emails that a workflow has sent. Their effect has the form `execution:step`.
  const ofWorkflow = sql`e.effect_id IS NOT NULL AND EXISTS (SELECT 1 FROM workflow_steps step
    WHERE step.project_id = e.project_id AND step.workflow_id = ${workflowId} AND step.id = substr(e.effect_id, 24))`;
  const written = sql`coalesce(e.subject, ${ofContent(sql`content.subject`)})`;
  const conditions = [
    ...(status === undefined ? [] : [sql`e.status = ${status}`]),
    ...(countedAs === undefined ? [] : [sql.raw(countedWhen[countedAs])]),
    ...(contactId === undefined ? [] : [sql`e.contact_id = ${contactId}`]),
    ...(campaignId === undefined ? [] : [sql`e.campaign_id IS ${campaignId}`]),
    ...(templateId === undefined ? [] : [sql`${ofContent(sql`content.template_id`)} = ${templateId}`]),
    ...(workflowId === undefined ? [] : [ofWorkflow]),
    ...(subject === undefined ? [] : [sql`substr(${written}, 1, length(${subject})) = ${subject} COLLATE NOCASE`]),
    ...(source === undefined ? [] : [sql`e.source = ${source}`]),
    ...(to === undefined ? [] : [sql`e.to_email = ${to}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` AND `)})`;
}

/** Returns the filters as text, for the cursor. */
function namedFilters(filters: EmailFilters) {
  const { contactId, campaignId, templateId, executionId, workflowId, startDate, endDate, ...others } = filters;
  return {
    ...others,
    startDate: startDate?.from,
    endDate: endDate?.to,
    contactId: contactId && textOf(contactId),
    campaignId: campaignId && textOf(campaignId),
    templateId: templateId && textOf(templateId),
    executionId: executionId && textOf(executionId),
    workflowId: workflowId && textOf(workflowId),
  };
}
