import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId, publicIdOrNull } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { EmailSource } from "../../core/mail/status";
import { asId, asJson, asOneOf, asText, columns, orNull, type RowReader } from "../../db/rows";

/**
 * The data of an event, as customers see it.
 *
 * The row of an email's event holds only values that the email's own row lacks (`link`, `bounceType`, `reason`). Code
 * that returns an event or hands it over adds the email's values, so that the log does not repeat them for each event.
 * A statement that reads events `e` needs three parts for that, which also work for events without an email:
 *
 *     sql`SELECT e.id, …, ${eventDataColumns} FROM events e ${joinEmailOfEvent} WHERE …`
 *     (raw) => ({ ...readRest(raw), data: readEventData(raw) })
 */

/**
 * Joins the email of an event, after `events e` in the FROM clause. Both joins are by key, so each adds at most one
 * row. They use the names `event_email` and `event_content`.
 */
export const joinEmailOfEvent: SQL = sql`LEFT JOIN emails event_email
    ON event_email.project_id = e.project_id AND event_email.id = e.email_id
  LEFT JOIN email_contents event_content
    ON event_content.project_id = e.project_id AND event_content.id = event_email.content_id`;

/**
 * The columns for `readEventData`. An email without an address belongs to an erased contact, so its subject is left out
 * too. No column of `events` has one of these names, so the list can follow `e.*`.
 */
export const eventDataColumns: SQL = sql`e.data AS event_data, e.email_id AS event_email_id,
  CASE WHEN event_email.to_email <> '' THEN coalesce(event_email.subject, event_content.subject) END AS event_subject,
  event_content.template_id AS event_template_id, event_email.campaign_id AS event_campaign_id,
  event_email.source AS event_email_source`;

const readColumns = columns({
  eventData: asJson<JsonObject>(),
  eventEmailId: orNull(asId),
  eventSubject: orNull(asText),
  eventTemplateId: orNull(asId),
  eventCampaignId: orNull(asId),
  eventEmailSource: orNull(asOneOf<EmailSource>()),
});

export const readEventData: RowReader<JsonObject> = (raw) => {
  const { eventData, eventEmailId, ...email } = readColumns(raw);
  if (eventEmailId === null) return eventData;
  return emailEventData(eventData, {
    emailId: eventEmailId,
    subject: email.eventSubject,
    templateId: email.eventTemplateId,
    campaignId: email.eventCampaignId,
    source: email.eventEmailSource,
  });
};

/** The email of an event. */
export interface EmailOfEvent {
  emailId: Id;
  subject: string | null;
  templateId: Id | null;
  campaignId: Id | null;
  source: EmailSource | null;
}

/** Returns an event's data for callers that have the email already. `stored` is the `data` of the event's row. */
export function emailEventData(
  stored: JsonObject,
  { emailId, subject, templateId, campaignId, source }: EmailOfEvent,
): JsonObject {
  const ids = { templateId: publicIdOrNull(templateId), campaignId: publicIdOrNull(campaignId) };
  return { emailId: publicId(emailId), subject, ...ids, source, ...stored };
}
