import { type SQL, sql } from "drizzle-orm";
import { type Id, asId as idOf, textOf } from "../../core/ids";
import type { EmailStatus } from "../../core/mail/status";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { asId, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst, statement } from "../../db/statement";
import { emails } from "../../db/tables";
import type { Context } from "../../platform/context";
import { emailJson, selectEmails } from "../emails/email";
import { getCampaign } from "./campaign";

interface RecipientQuery {
  status?: EmailStatus;
  variant?: string;
  to?: string;
  contactId?: Id;
  cursor?: string;
  limit: number;
}

/** The maximum number of pages that one statement scans: up to 25,000 emails. See docs/decisions/0011. */
const pagesInWindow = 50;

const readId = columns({ id: asId });
const readScanned = columns({ edge: orNull(asId), pages: asNumber, matching: orNull(asNumber) });

/**
 * Implements `GET /campaigns/{id}/recipients`: lists the emails of a campaign in the order of their ids. Throws
 * NotFound and BadRequest.
 */
export async function listRecipients(
  ctx: Context,
  id: Id,
  { status, variant, to, contactId, cursor, limit }: RecipientQuery,
): Promise<Page<ReturnType<typeof emailJson>>> {
  const filters = { campaign: textOf(id), status, variant, to, contactId: contactId && textOf(contactId) };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  // Emails have no index by address, but contacts do, so the contact with the address is found first.
  const [holder] = await Promise.all([to && !contactId ? findHolder(ctx, to) : null, getCampaign(ctx, id)]);
  const ofVariant = sql`EXISTS (SELECT 1 FROM email_contents c WHERE c.project_id = e.project_id AND c.id = e.content_id
    AND c.variant = ${variant})`;
  const matches = [
    sql`true`,
    ...(status === undefined ? [] : [sql`e.status = ${status}`]),
    ...(variant === undefined ? [] : [ofVariant]),
    ...(to === undefined ? [] : [sql`e.to_email = ${to}`]),
  ];
  const isMatch = sql`(${sql.join(matches, sql` AND `)})`;
  const window = windowOf(ctx, id, { contactId: contactId ?? holder, after: after === null ? null : idOf(after) });
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(sql`${window} SELECT e.id ${inWindow} AND ${isMatch} ORDER BY e.id LIMIT ${limit + 1}`, readId),
  );
  const scanned = batch.add(
    statement(
      sql`${window} SELECT (SELECT max(last_id) FROM pages) AS edge, (SELECT count(*) FROM pages) AS pages,
        sum(${isMatch}) AS matching ${inWindow}`,
      readScanned,
    ),
  );
  await batch.commit();
  const ids = found.all.slice(0, limit).map((row) => row.id);
  const { edge, pages, matching } = scanned.one;
  const isCut = pages === pagesInWindow;
  const next = (found.count > limit ? ids.at(-1) : isCut ? edge : null) ?? null;
  const isOneOf = sql`${emails.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = ids.length === 0 ? [] : await selectEmails(ctx, isOneOf).orderBy(emails.id);
  return {
    data: rows.map(emailJson),
    cursor: next === null ? "" : writeCursor([textOf(next)], filters),
    hasMore: next !== null,
    total: after === null ? (matching ?? 0) : 0,
    ...(after === null && isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

async function findHolder(ctx: Context, email: string): Promise<Id | null> {
  const holder = await selectFirst(
    ctx.db,
    sql`SELECT id FROM contacts WHERE ${inProject(ctx)} AND email = ${email}`,
    readId,
  );
  return holder?.id ?? null;
}

/**
 * Selects the next pages of emails, beginning with the rest of the page in which the previous answer ended. The single
 * email of a contact is found by its index, and treated as a page of its own.
 */
function windowOf(ctx: Context, campaignId: Id, { contactId, after }: { contactId: Id | null; after: Id | null }): SQL {
  if (contactId !== null) {
    return sql`WITH pages (project_id, campaign_id, first_id, last_id) AS MATERIALIZED (
      SELECT project_id, campaign_id, id, id FROM emails
      WHERE ${inProject(ctx)} AND contact_id = ${contactId} AND campaign_id = ${campaignId})`;
  }
  const isAfter = after === null ? sql`` : sql` AND last_id > ${after}`;
  const from = after === null ? sql`first_id` : sql`max(first_id, ${textOf(after)} || '!')`;
  return sql`WITH pages (project_id, campaign_id, first_id, last_id) AS MATERIALIZED (
    SELECT project_id, campaign_id, ${from}, last_id FROM campaign_pages
    WHERE ${inProject(ctx)} AND campaign_id = ${campaignId}${isAfter}
    ORDER BY first_id LIMIT ${pagesInWindow})`;
}

const inWindow: SQL = sql`FROM pages p CROSS JOIN emails e ON e.project_id = p.project_id
  AND e.id BETWEEN p.first_id AND p.last_id WHERE +e.campaign_id = p.campaign_id`;
