import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId, publicIdOrNull } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { EmailSource } from "../../core/mail/status";
import { asId, asJson, asOneOf, asText, columns, orNull, type RowReader } from "../../db/rows";

/**
 * The data of an event, as customers see it.
 *
 * The row of an email's event holds only what the email's own row lacks (`link`, `bounceType`, `reason`). Whoever shows
 * an event, or hands it to somebody, adds which email it was, so that the log does not say it again for each event. A
 * statement that reads events `e` does it with three pieces, whether or not there are events of emails among them:
 *
 *     sql`SELECT e.id, …, ${eventDataColumns} FROM events e ${joinEmailOfEvent} WHERE …`
 *     (raw) => ({ ...readRest(raw), data: readEventData(raw) })
 */

/** Goes behind `events e` in the FROM: by key, at most one row each. Takes the names `event_email` and `event_content`. */
export const joinEmailOfEvent: SQL = sql`LEFT JOIN emails event_email
    ON event_email.project_id = e.project_id AND event_email.id = e.email_id
  LEFT JOIN email_contents event_content
    ON event_content.project_id = e.project_id AND event_content.id = event_email.content_id`;

/**
 * What `readEventData` reads. An email without an address is of somebody who was erased, and so is its subject. No name
 * is one of the columns of `events`, so `e.*` may stand beside it.
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

/** The email that an event is of. */
export interface EmailOfEvent {
  emailId: Id;
  subject: string | null;
  templateId: Id | null;
  campaignId: Id | null;
  source: EmailSource | null;
}

/** The same for one who has the email at hand. `stored` is the `data` of the event's row. */
export function emailEventData(
  stored: JsonObject,
  { emailId, subject, templateId, campaignId, source }: EmailOfEvent,
): JsonObject {
  const ids = { templateId: publicIdOrNull(templateId), campaignId: publicIdOrNull(campaignId) };
  return { emailId: publicId(emailId), subject, ...ids, source, ...stored };
}
