import { sql } from "drizzle-orm";
import { type Id, publicId, timeOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { iso, isoOrNull } from "../../core/time";
import { asFlag, asId, asNumber, asText, columns, orNull, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { WebhookDeliveryRow } from "../../db/tables";
import { eventDataColumns, joinEmailOfEvent, readEventData } from "../../engine/events/email-data";
import type { Context } from "../../platform/context";

export function deliveryJson(row: WebhookDeliveryRow) {
  return {
    id: publicId(row.eventId),
    webhookId: publicId(row.webhookId),
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: isoOrNull(row.nextAttemptAt),
    lastAttemptAt: isoOrNull(row.lastAttemptAt),
    statusCode: row.statusCode,
    error: row.error,
    response: row.response,
    createdAt: iso(timeOf(row.eventId)),
  };
}

/** A delivery that a consumer has claimed, with its event. */
export interface ClaimedDelivery {
  webhookId: Id;
  eventId: Id;
  type: string;
  attempts: number;
  triesUntil: number;
  isTest: boolean;
  /** The stored event; null for a test, and if the event is no longer stored. */
  event: { contactId: Id | null; contactEmail: string | null; data: JsonObject } | null;
}

const readClaimed = columns({
  webhookId: asId,
  eventId: asId,
  type: asText,
  attempts: asNumber,
  triesUntil: asNumber,
  isTest: asFlag,
  isStored: asFlag,
  contactId: orNull(asId),
  contactEmail: orNull(asText),
});

const read: RowReader<ClaimedDelivery> = (raw) => {
  const { isStored, contactId, contactEmail, ...delivery } = readClaimed(raw);
  return { ...delivery, event: isStored ? { contactId, contactEmail, data: readEventData(raw) } : null };
};

/** Returns deliveries with their events, oldest first. */
export function readDeliveries(ctx: Context, webhookId: Id, eventIds: Id[]): Promise<ClaimedDelivery[]> {
  return select(
    ctx.db,
    sql`SELECT d.webhook_id, d.event_id, d.type, d.attempts, d.tries_until, d.is_test, e.id IS NOT NULL AS is_stored,
        e.contact_id, c.email AS contact_email, ${eventDataColumns}
      FROM json_each(${JSON.stringify(eventIds)}) r
      CROSS JOIN webhook_deliveries d ON ${inProject(ctx, "d")} AND d.webhook_id = ${webhookId}
        AND d.event_id = r.value
      LEFT JOIN events e ON e.project_id = d.project_id AND e.id = d.event_id
      LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id
      ${joinEmailOfEvent}
      ORDER BY d.event_id`,
    read,
  );
}
