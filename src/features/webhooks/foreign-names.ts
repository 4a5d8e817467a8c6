import { type ForeignName, foreign } from "../../core/foreign-names";

/** The names that other APIs use for the fields of a webhook. */
export const foreignNamesOfWebhook: ForeignName[] = [
  ...foreign(["enabled_events", "event_types", "eventTypes", "event", "topics", "types", "Triggers"], {
    standsFor: "events",
    advice: 'Use events, a list such as ["email.delivered", "email.*"], or ["*"] for all',
  }),
  ...foreign(["endpoint", "endpoint_url", "target_url", "webhookUrl", "webhook_url"], {
    standsFor: "url",
    advice: "Use url, such as https://shop.example/hooks",
  }),
  ...foreign(["active", "enabled"], {
    except: true,
    advice: "Use disabled, which is true or false, in PATCH /webhooks/{id}",
  }),
];

/**
 * Fields with a secret. They are refused on creation, because a caller cannot choose the secret. A change ignores them,
 * because a caller may send back a webhook as it was returned.
 */
export const ownSecrets = foreign(["secret", "signing_secret"], {
  advice: "Leave it out: Petrel creates the secret, and shows it in the answer",
});
