import { type SQL, sql } from "drizzle-orm";
import { serviceEventsThat } from "../../core/events/service-event";
import { simulatorDomain } from "../../core/mail/simulator";
import type { Statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { insertEvents } from "./record";

/** The names of an email's events. Only these events have an `email_id`. */
export const emailEventNames = serviceEventsThat(({ isOfEmail }) => isOfEmail);

const simulated = [`@${simulatorDomain}`, `.${simulatorDomain}`];

/** Matches an email `e` that counts for its project's reputation, because it goes to a real address. */
export const countsForReputation: SQL = sql.raw(
  `substr(e.to_email, -${simulatorDomain.length + 1}) NOT IN (${simulated.map((end) => `'${end}'`).join(", ")})`,
);

/**
 * Inserts event rows of emails, in the batch of the change that causes them and before that change. `items` is a JSON
 * array of `{ projectId, emailId, event, eventData }`; items without an event are skipped. `where` is a condition on
 * the email `e`, and may use its item `r`. The rows hold only values that the email's own row lacks; readers add the
 * rest, see `email-data.ts`. An email without an address belongs to an erased contact, so the provider's data about
 * that recipient is not stored.
 */
export function insertEmailEvents(
  platform: Pick<Platform, "databaseNow" | "realDatabaseNow">,
  { items, where }: { items: string; where: SQL },
): Statement {
  const rows = sql`SELECT e.project_id, r.value->>'event' AS name, e.contact_id, e.id AS email_id,
      CASE WHEN e.to_email = '' THEN '{}' ELSE r.value->'eventData' END AS data,
      r.value->>'event' = 'email.sent' AND ${countsForReputation} AS is_mail,
      e.causes, e.is_public
    FROM json_each(${items}) r
    CROSS JOIN emails e ON e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
    WHERE r.value->>'event' IS NOT NULL AND ${where}`;
  return insertEvents(platform, { rows, hasMails: true, hasCauses: true, isPublic: sql`o.is_public` });
}
