/**
 * An event that the service itself records. Its name is reserved and is a type of activity, and webhooks and workflows
 * may listen for it.
 */
export interface ServiceEvent {
  /** Describes when the event happens, for the guide. */
  when: string;
  /**
   * The keys of the event's data that conditions of workflows may name, in addition to those of every event about an
   * email.
   */
  fields?: readonly string[];
  /** Whether the event is about an email that we sent. Only these events have an `email_id`. */
  isOfEmail?: true;
  /** Whether the event belongs to no contact, so that no workflow and no filter can use it. */
  hasNoContact?: true;
  /**
   * The column of `GET /activity/stats` that counts the event, and what the column means when its name is not enough.
   */
  column?: string;
  columnMeans?: string;
  /** The type of the workflow step that may cause the event. */
  causedBy?: "SEND_EMAIL" | "UPDATE_CONTACT";
}

/**
 * Every event that the service records, by name, in the order in which lists show them. Reserved names, activity types,
 * statistics, the events that webhooks and workflows can listen for, and the guide are derived from this list. Events
 * of segments have the segment's slug in their names, so `activity-types.ts` adds them.
 */
export const serviceEvents = {
  "email.sent": { when: "the provider accepted an email", ...ofEmail("sent") },
  "email.delivered": { when: "the provider reports that the email arrived", ...ofEmail("delivered") },
  "email.opened": {
    ...{ when: "its pixel was loaded", ...ofEmail("opened") },
    columnMeans: "The number of opens, including repeated ones.",
  },
  "email.clicked": {
    ...{ when: "one of its links was followed", ...ofEmail("clicked"), fields: ["link"] },
    columnMeans: "The number of clicks, including repeated ones and those of scanners, whose events have `automated`.",
  },
  "email.bounced": { when: "it was returned", ...ofEmail("bounced"), fields: ["bounceType", "reason"] },
  "email.complained": { when: "its recipient reported it as spam", ...ofEmail("complained") },
  "email.failed": { when: "it could not be sent", isOfEmail: true, causedBy: "SEND_EMAIL" },
  "email.received": { when: "a contact wrote to a verified domain" },
  "contact.subscribed": { when: "a contact subscribed", causedBy: "UPDATE_CONTACT" },
  "contact.unsubscribed": { when: "a contact unsubscribed", causedBy: "UPDATE_CONTACT" },
  "contact.confirmed": { when: "a contact confirmed its address" },
  "contact.topic_joined": { when: "a contact joined a topic", fields: ["topic"] },
  "contact.topic_left": { when: "a contact left a topic", fields: ["topic"] },
  "webhook.disabled": { when: "a webhook was disabled because its deliveries failed", hasNoContact: true },
} as const satisfies Record<string, ServiceEvent>;

function ofEmail<Column extends string>(column: Column) {
  return { isOfEmail: true, causedBy: "SEND_EMAIL", column } as const;
}
