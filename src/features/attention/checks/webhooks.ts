import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { asId, asNumber, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems } from "../check";

const readWebhook = columns({
  id: asId,
  url: asText,
  disabledAt: orNull(asNumber),
  disabledReason: orNull(asText),
  failingSince: orNull(asNumber),
});

/**
 * Finds webhooks that are disabled or whose receiver fails. A project has at most 20 webhooks, so this reads few rows.
 */
export const checkWebhooks: AttentionCheck = (ctx, batch) => {
  const bad = batch.add(
    statement(
      sql`SELECT id, url, disabled_at, disabled_reason, failing_since FROM webhooks
        WHERE ${inProject(ctx)} AND coalesce(disabled_at, failing_since) IS NOT NULL LIMIT ${maxItems}`,
      readWebhook,
    ),
  );
  return () =>
    bad.all.map(({ id, url, disabledAt, disabledReason, failingSince }) => {
      const target = { type: "webhook" as const, id: publicId(id), name: url };
      const path = `/webhooks/${publicId(id)}`;
      if (disabledAt !== null) {
        return {
          code: "webhook_disabled" as const,
          severity: "act" as const,
          message: `The webhook is disabled${disabledReason === null ? "" : `: ${disabledReason}`}. Its events are not delivered.`,
          count: 1,
          since: iso(disabledAt),
          target,
          action: {
            text: "Fix the webhook's receiver, then enable the webhook.",
            method: "PATCH" as const,
            path,
            body: { disabled: false },
          },
        };
      }
      return {
        code: "webhook_failing" as const,
        severity: "warn" as const,
        message: "The webhook's receiver fails. Deliveries are retried for up to three days.",
        count: 1,
        since: failingSince === null ? null : iso(failingSince),
        target,
        action: { text: "Look at the answers of the receiver.", method: "GET" as const, path: `${path}/deliveries` },
      };
    });
};
