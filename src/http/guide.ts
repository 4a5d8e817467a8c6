import { meteredFilters } from "../core/templating/filters";
import { errorCodes } from "./error-codes";

/** The introduction of the document, in Markdown: everything that is not about one operation. */
export function guide(origin: string): string {
  return `One API for transactional email, campaigns, workflows, contacts, events and segments. This page is the guide and the reference.

## Quickstart

Send a mail. \`sk_…\` is the secret key of your project, and the part of \`from\` after the @ is a verified domain of it.

\`\`\`sh
curl ${origin}/v1/send \\
  -H 'Authorization: Bearer sk_…' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "to": "ada@example.com",
    "from": "hello@petrel.test",
    "subject": "Welcome, {{ name }}",
    "body": "<p>Hi {{ name ?? \\"there\\" }}</p>",
    "data": { "name": "Ada" }
  }'
\`\`\`

The answer comes once the mail is stored: \`data.emails[0].email\` is the id of its record. \`GET /emails/{id}\` says what
became of it. The recipient is now a contact of the project, and \`data\` is kept with the contact.

With \`"scheduledAt": "2026-01-31T09:00:00Z"\`, at most 30 days ahead, a mail waits until then. \`DELETE /emails/{id}\` cancels
a mail that has not gone out.

To send from a domain of your own, call \`POST /domains\`, create the DNS records that it returns, and wait for \`VERIFIED\`.

## Keys

| Key | Where it may be | What it may do |
| --- | --- | --- |
| \`sk_…\` secret | on your servers only | everything in its project |
| \`pk_…\` public | in web pages and apps | \`POST /v1/track\`, nothing else |

Send it as \`Authorization: Bearer …\`. Everybody can read a public key, so it cannot undo an unsubscription that a person
made, and it has rate limits and idempotency keys of its own. Its calls may have 32 KB and 64 keys of data, and the data of
one contact grows to 32 KB by them. They bring at most 1,000 names of fields and 1,000 of events to a project. Workflows that its
events start or wake mail 500 times an hour, unless the operator set another number, and once a day to a contact that nobody else
has named; later mail waits for its turn. What such an event says becomes no link: \`https://a.example\` reads \`https[:]//a[.]example\`.

A contact's \`source\` says where it came from: \`PUBLIC\` is one that only a public key has named. Segments count events
whatever key tracked them, so add \`source\` to a condition that should leave such contacts out.

## Errors

Every error has the same envelope. \`error.code\` is for your code, \`error.message\` and \`error.suggestion\` are for you, and
\`error.requestId\` is for support. A 422 lists each field in \`error.errors\`. A call that is refused has no effect.

New codes may come. Treat a code that you do not know by its status.

A field that is unknown here is ignored, and \`warnings\` of the answer names it. Where it asks for something that has another
name here, such as \`html\` or \`cc\`, the call is a 422 that says what to do. So is an unknown query parameter.

| Code | Status | Meaning |
| --- | --- | --- |
${Object.entries(errorCodes)
  .map(([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join("\n")}

\`POST /contacts\`, \`POST /templates\` and \`POST /segments\` answer a missing required field with 400 and \`{ "error": "…" }\`.

## Pages and cursors

Most lists have a cursor: \`{ data, cursor, hasMore, total }\`. While \`hasMore\` is true, call again with \`?cursor=\`. Treat it as
opaque. \`limit\` is 20 unless you say otherwise, and at most 100. \`GET /templates\` and the contacts of a segment have numbered
pages instead: \`?page=2&pageSize=50\`.

## Idempotency

A connection may break before the answer arrives. Send an \`Idempotency-Key\` with \`/v1/send\`, \`/v1/track\` and
\`/events/track\`, and repeat the call with the same key: it takes effect only once. A repeat gets a 409, whose
\`details.originalResponse\` is the first answer. Keys are remembered for 24 hours. A 4xx releases its key.

## Limits

| What | Limit |
| --- | --- |
| Recipients of one call | 500 |
| Attachments of one mail | 10 files, 10 MB together |
| Data of one contact | 64 KB |
| Contacts of a bulk call | 1,000 |
| Templates, workflows of a project | 1,000 each |
| Suppressions of a project | 1,000,000 |
| CSV file | 5 MB |

An operator may change the limits of attachments, and set rate limits. Then each answer has \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\`, and a 429 has \`Retry-After\` in seconds.

## Templates

Subjects and bodies are [Liquid](https://shopify.github.io/liquid/). These names have values:

- every key of the contact's data and of the call's \`data\`: \`{{ plan }}\`, \`{{ data.plan }}\`, \`{{ first name }}\`
- \`id\`, \`email\`, \`subscribed\`, \`locale\` of the contact
- \`name\`: the recipient's name in \`to\`, unless the data has a \`name\`
- \`unsubscribeUrl\`, \`subscribeUrl\`, \`manageUrl\`: signed links to the recipient's own pages
- \`confirmUrl\`: the link of a confirmation mail, and only there

\`{{ name ?? "there" }}\` is the first value that is not missing, null or an empty string. \`false\` and \`0\` are values. Filters come
after it, and it can be repeated: \`{{ nick ?? name ?? "you" | upcase }}\`.

Values are escaped in the body: \`{{ bio | raw }}\` is not. There are \`if\`, \`unless\`, \`case\`, \`for\`, \`tablerow\`, \`assign\`, \`capture\`,
\`increment\`, \`decrement\`, \`cycle\`, \`comment\`, \`raw\` and \`liquid\`; nothing reads files. A template that does not parse is a 422
with its line and column. \`POST /templates/{id}/preview\` shows a mail without sending it, and names the values that are missing.

The filters:

${[...meteredFilters().keys()]
  .toSorted()
  .map((name) => `\`${name}\``)
  .join(", ")}

### Types of mail

| Type | Recipients | Footer and headers |
| --- | --- | --- |
| \`TRANSACTIONAL\` | everyone | none |
| \`MARKETING\` | nobody who opted out | a footer with an unsubscribe link, unless the body has one; the mailbox's unsubscribe button |
| \`HEADLESS\` | everyone | no footer; the button, if the body links to \`unsubscribeUrl\` or \`manageUrl\` |

Content that you send inline, without a template, is \`TRANSACTIONAL\`.

### Topics

A topic is a group of marketing mail that a person can leave without leaving everything. Make one with \`POST /topics\`, and give its
id to a template as \`topicId\`. Whoever left it gets none of that template's mail: the email is \`SUPPRESSED\`. The unsubscribe
button of such a mail leaves its topic; the page behind \`manageUrl\` lists all topics. \`GET\` and \`PUT /contacts/{id}/topics\`
show and change what a contact chose. With \`defaultSubscribed: false\`, campaigns and workflows mail only who joined.
\`subscribed: false\` on a contact overrules all topics.

## Double opt-in

\`confirm: true\` with \`POST /contacts\`, \`/v1/track\` or \`/events/track\` mails the project's confirmation template to a contact that is
not subscribed; the operator names it as \`confirmationTemplateId\`. The button behind its \`{{ confirmUrl }}\` subscribes, for seven
days, and records \`contact.confirmed\`. The answer's \`confirmation\` is \`sent\`, \`already\` (they are subscribed) or \`throttled\`: a contact
gets one such mail an hour and three a day, and a project sends 100 an hour for its public keys, unless its operator set another number.

## Webhooks

\`POST /webhooks\` names a URL and the events that it gets: exact names, families such as \`email.*\`, or \`*\`. Each event is a POST
in the form of [Standard Webhooks](https://www.standardwebhooks.com), whose libraries verify it with the webhook's \`secret\`:

\`\`\`http
webhook-id: 0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f
webhook-timestamp: 1769850000
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{ "type": "email.delivered", "timestamp": "2026-01-31T09:00:00.000Z",
  "data": { "emailId": "0199a0f2-…", "subject": "Welcome", "contactId": "0199a0f2-…", "contactEmail": "ada@example.com", … } }
\`\`\`

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
  A 301, 302 or 303 would drop the event, so it is a failure; 307 and 308 are followed.

## Opens and clicks

Links of a mail lead through this installation, and a pixel at its end says that it was opened. \`GET /emails/{id}\` counts both, and
the events are \`email.opened\` and \`email.clicked\`, which has the \`link\`.

- \`"tracking": false\` on \`/v1/send\` leaves a mail as it is. The operator may have turned tracking off for the project, or for all but \`MARKETING\` mail.
- \`<a data-no-track href="…">\` leaves one link as it is. \`mailto:\`, \`tel:\`, anchors and the recipient's own pages always stay.
- \`automated: true\` in the data of an event means that a known scanner or picture proxy did it. Such a click moves neither
  the status nor \`clicks\`. An open through the proxy of a mailbox counts.
- Neither IP addresses nor user agents are stored.
- They are recorded a second or two after the recipient has got the page or the picture. Some of the last second may be missing
  after a crash of the service.

## Testing

These addresses at \`simulator.test\`, and at any domain below it, behave as they are called while the installation keeps its
mail in the outbox: \`bounce@\`, \`softbounce@\`, \`complaint@\`, \`throttle@\` (429, tried again), \`reject@\` (4xx, fails),
\`timeout@\` (no answer: \`UNKNOWN\`). A tag works too: \`bounce+checkout@simulator.test\`. All other mail is delivered.

\`/outbox\` shows the mail, and \`GET /outbox/messages\` gives it to your tests.

## Events from web pages

Whoever reads your page can ask with its key which addresses you know. Have the operator set \`publicAnswers: "NONE"\` for the project:
then answers to a public key have no ids, and are the same for everybody's address. We recommend it unless your page needs the ids.

\`POST /v1/track\` may be called from any page with a public key. A call that should survive the end of the page sends
\`keepalive\`:

\`\`\`js
fetch("${origin}/v1/track", {
  method: "POST",
  keepalive: true,
  headers: { Authorization: "Bearer pk_…" },
  body: JSON.stringify({ email: "ada@example.com", event: "purchase" }),
});
\`\`\`

\`navigator.sendBeacon\` cannot send an \`Authorization\` header, so it cannot be used here: \`keepalive\` does the same and can.
The body is read as JSON whatever its \`Content-Type\` says.

## Coming from Plunk

\`@plunk/node\` works when its base URL is this installation. These things differ:

- \`type: "markdown"\` is not accepted: send HTML.
- \`from\` is required without a template, and its domain must be a verified domain of the project.
- The plain-text part is made from the HTML.
- A recipient that is new becomes a contact that is not subscribed, unless the call says \`subscribed: true\`.
`;
}
