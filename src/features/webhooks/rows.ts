import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import type { CallRows } from "../../engine/outbound/rows";

interface DeliveryKey {
  webhookId: Id;
  eventId: Id;
}

/**
 * Tells `engine/outbound` where deliveries and their endpoints are stored. Deliveries to a disabled endpoint wait until
 * the endpoint is enabled again.
 */
export const webhookRows: CallRows<DeliveryKey> = {
  calls: sql`webhook_deliveries`,
  dueIndex: sql`ix_webhook_deliveries_due`,
  receivers: sql`webhooks`,
  name: sql`id`,
  receiver: sql`webhook_id`,
  isCallable: sql`disabled_at IS NULL`,
  key: sql`webhook_id, event_id`,
  readKey: columns({ webhookId: asId, eventId: asId }),
  valuesOf: ({ webhookId, eventId }) => [webhookId, eventId],
};
