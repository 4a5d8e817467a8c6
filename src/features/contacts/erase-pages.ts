import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { eventsOfContact } from "../../engine/events/of-contact";
import type { Context } from "../../platform/context";

/**
 * The maximum number of emails that one batch empties, and the maximum number of events. The limit does not depend on
 * how many people the batch erases.
 */
export const rowsPerBatch = 1_000;

/** The keyset position of the last row of a page. The next page continues after it. */
export interface ErasureCursor {
  contactId: Id;
  /**
   * The campaign of an email, by which the index sorts a person's emails. Null for an event, and for an email without a
   * campaign. The index sorts emails without a campaign first.
   */
  campaignId: Id | null;
  id: Id;
}

/**
 * Selects the next emails or events of erased people, in the order of the index by contact. `contactIds` is a JSON
 * array. If the last page ended in the middle of a person's rows, a separate branch of the query reads the other rows
 * of that person. The index then leads straight to the cursor, so a page in the middle of a million rows costs no more
 * than the first one.
 */
export function pageOf(ctx: Context, table: "emails" | "events", contactIds: string, after: ErasureCursor | null): SQL {
  return table === "emails" ? pageOfEmails(ctx, contactIds, after) : pageOfEvents(ctx, contactIds, after);
}

function pageOfEmails(ctx: Context, contactIds: string, after: ErasureCursor | null): SQL {
  const rows = sql`SELECT contact_id, campaign_id, id FROM emails WHERE ${inProject(ctx)}`;
  const inOrder = sql`ORDER BY contact_id, campaign_id, id LIMIT ${rowsPerBatch}`;
  if (after === null) return sql`${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds})) ${inOrder}`;
  const { contactId, campaignId, id } = after;
  const ofNone = sql`${rows} AND contact_id = ${contactId} AND campaign_id IS NULL AND id > ${id} UNION ALL `;
  return sql`${campaignId === null ? ofNone : sql``}
    ${rows} AND contact_id = ${contactId} AND campaign_id > ${campaignId ?? ""}
    UNION ALL
    ${rows} AND contact_id IN (SELECT value FROM json_each(${contactIds}) WHERE value > ${contactId}) ${inOrder}`;
}

function pageOfEvents(ctx: Context, contactIds: string, after: ErasureCursor | null): SQL {
  const next = (where: SQL) =>
    sql`SELECT * FROM (${eventsOfContact(
      sql`contact_id, NULL AS campaign_id, id`,
      sql`${inProject(ctx)} AND ${where}`,
    )} ORDER BY contact_id, id LIMIT ${rowsPerBatch})`;
  if (after === null) return next(sql`contact_id IN (SELECT value FROM json_each(${contactIds}))`);
  return sql`${next(sql`contact_id = ${after.contactId} AND id > ${after.id}`)}
    UNION ALL
    ${next(sql`contact_id IN (SELECT value FROM json_each(${contactIds}) WHERE value > ${after.contactId})`)}
    ORDER BY contact_id, id LIMIT ${rowsPerBatch}`;
}

export function updateErasedEvents(ctx: Context, page: SQL): Statement {
  return statement(sql`UPDATE events AS e SET data = '{}' WHERE ${isOfPage(ctx, page)} AND e.data <> '{}'`);
}

/**
 * Clears the stored answers of webhook endpoints, which may contain personal data. A webhook call that is still waiting
 * will send the emptied event.
 */
export function updateErasedDeliveries(ctx: Context, page: SQL): Statement {
  return statement(
    sql`UPDATE webhook_deliveries AS d INDEXED BY ix_webhook_deliveries_expiry SET error = NULL, response = NULL
      WHERE ${inProject(ctx, "d")} AND d.event_id IN (SELECT id FROM (${page}))
        AND (d.error IS NOT NULL OR d.response IS NOT NULL)`,
  );
}

function isOfPage(ctx: Context, page: SQL): SQL {
  return sql`${inProject(ctx, "e")} AND e.id IN (SELECT id FROM (${page}))`;
}
