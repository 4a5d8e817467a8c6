import { serviceEventList } from "../../core/events/service-event";

const eventTable = [
  "| Event | When |",
  "| --- | --- |",
  ...serviceEventList.map(([name, { when }]) => `| \`${name}\` | ${when[0]?.toUpperCase()}${when.slice(1)} |`),
].join("\n");

/** Explains how events reach servers. */
export const webhooks = `## Webhooks

\`POST /webhooks\` names a URL and the events that it gets: exact names, families such as \`email.*\`, or \`*\`. Each event is a POST
in the form of [Standard Webhooks](https://www.standardwebhooks.com), whose libraries verify it with the webhook's \`secret\`:

\`\`\`http
webhook-id: 0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f
webhook-timestamp: 1769850000
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{ "type": "email.delivered", "timestamp": "2026-01-31T09:00:00.000Z",
  "data": { "emailId": "0199a0f2-…", "subject": "Welcome", "contactId": "0199a0f2-…", "contactEmail": "ada@example.com", … } }
\`\`\`

In addition to your own events, the service records these, and \`segment.<slug>.entry\` and \`segment.<slug>.exit\`:

${eventTable}

- \`data\` is the event's own data, with \`contactId\` and \`contactEmail\`. Events of mail have \`emailId\`, the id that \`/v1/send\` returned.
- Answer with a 2xx within 10 seconds, and do the work afterwards. Any other answer is a failure.
- An event may come more than once, always with the same \`webhook-id\`: drop those that you know. The order is not promised.
- A failure is tried again after 1 minute, 5, 25, 2 hours, 10, and then every 12, for three days. A 429 or 503 with \`Retry-After\` is
  respected. An endpoint that does not answer gets no call for 30 seconds, then for twice as long each time.
- A 410 disables the webhook at once; so does a delivery that ran out of tries when nothing succeeded for three days. The event
  \`webhook.disabled\` says so. \`PATCH /webhooks/{id}\` with \`{ "disabled": false }\` enables it again.
- \`GET /webhooks/{id}/deliveries\` shows what became of each delivery, for 30 days. \`…/deliveries/{deliveryId}/retry\` repeats one, and
  \`POST /webhooks/{id}/test\` sends a test.
- After \`POST /webhooks/{id}/rotate-secret\` both secrets sign for 24 hours.
- The URL must be on the public internet. Private addresses, in whatever spelling and behind whatever name or redirect, are not called.
  A 301, 302 or 303 would drop the event, so it is a failure; 307 and 308 are followed.`;
