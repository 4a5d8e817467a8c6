import { movedNamesListed } from "../core/contacts/csv-moved";
import { serviceEventList } from "../core/events/service-event";
import { meteredFilters } from "../core/templating/filters";
import { definitionOf, stepTypes } from "../core/workflows/step";
import { errorCodes } from "./error-codes";
import { snippetPath } from "./snippet";
import { snippet } from "./snippet-script";

/** Only where databases have copies. */
const bookmarks = `## Reading from a copy nearby

This installation has copies of its database, which lag behind it, by less than a second as a rule. Without a header, your calls
read the database itself. A call of \`GET\` with a \`Petrel-Bookmark\` header may be answered by a copy:

- **The bookmark of an answer.** Each answer has a \`Petrel-Bookmark\` header. Send the last one back with your next call: you
  see everything that you have done and seen before, and perhaps more. After an answer without one, send none.
- **\`any\`.** You take what the nearest copy has. What was made a moment ago may be missing, also as a 404.

A bookmark is opaque, and good for any number of calls of the project. One that is not ours is a 400. Calls that change something
read the database itself, whatever they send.

`;

const eventTable = [
  "| Event | When |",
  "| --- | --- |",
  ...serviceEventList.map(([name, { when }]) => `| \`${name}\` | ${when[0]?.toUpperCase()}${when.slice(1)} |`),
].join("\n");

const stepTable = [
  "| Type of step | What it does | Branches of the transitions out of it |",
  "| --- | --- | --- |",
  ...stepTypes.map((type) => {
    const { does, branches } = definitionOf(type);
    return `| \`${type}\` | ${does[0]?.toUpperCase()}${does.slice(1)} | ${branches?.are ?? ""} |`;
  }),
].join("\n");

/** The introduction of the document, in Markdown: everything that is not about one operation. */
export function guide(origin: string, { readsCopies }: { readsCopies: boolean }): string {
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

\`UNKNOWN\` means that the mail provider did not answer, and may have sent the mail. It is not sent again while that is so. A report of
the provider settles it, or asking the provider where that is possible, or \`POST /emails/{id}/retry\`: \`settledBy\` says which.

With \`"scheduledAt": "2026-01-31T09:00:00Z"\`, at most 30 days ahead, a mail waits until then. \`DELETE /emails/{id}\` cancels
a mail that has not gone out.

To send from a domain of your own, call \`POST /domains\`, create the DNS records that it returns, and wait for \`VERIFIED\`.

## Keys

| Key | Where it may be | What it may do |
| --- | --- | --- |
| \`sk_…\` secret | on your servers only | everything in its project |
| \`sk_…\` read | on your servers only | what changes nothing: each GET, \`/v1/verify\`, lookups, previews, pre-flights, simulations, explanations |
| \`pk_…\` public | in web pages and apps | \`POST /v1/track\`, nothing else |

Send it as \`Authorization: Bearer …\`. Everybody can read a public key, so it cannot undo an unsubscription that a person
made, and it has rate limits and idempotency keys of its own. Its calls may have 32 KB and 64 keys of data, and the data of
one contact grows to 32 KB by them. They bring at most 1,000 names of fields and 1,000 of events to a project. Workflows that its
events start or wake mail 500 times an hour, unless the operator set another number, and once a day to a contact that nobody else
has named; later mail waits for its turn. What such an event says becomes no link: \`https://a.example\` reads \`https[:]//a[.]example\`.

\`GET /me\` says which project and which key a call is of. Any other call of a \`read\` key is a 403 \`READ_ONLY_KEY\`.

A contact's \`source\` says where it came from: \`PUBLIC\` is one that only a public key has named. Segments count events
whatever key tracked them, so add \`source\` to a condition that should leave such contacts out.

\`POST /segments/preview\` counts exactly in a project of up to 250,000 contacts. Above, it may scan only a part of them: then
\`approximate\` is true, and \`count\` is an estimate, or null when nobody in that part matches.

## Errors

Every error has the same envelope. \`error.code\` is for your code, \`error.message\` and \`error.suggestion\` are for you, and
\`error.requestId\` is for support. A 422 lists each field in \`error.errors\`. A call that is refused has no effect.

A 403 for a sender whose domain is not verified has the code \`INTERNAL_SERVER_ERROR\`, which says nothing. Its
\`details.reason\` is \`domain_not_verified\`, and \`details.domain\` names the domain. Match on that:

\`\`\`js
if (error.details?.reason === "domain_not_verified") verifyFirst(error.details.domain);
\`\`\`

New codes may come. Treat a code that you do not know by its status.

A field that is unknown here is ignored, and \`warnings\` of the answer names it. Where it asks for something that has another
name here, such as \`html\`, \`cc\`, \`variables\` or \`send_at\`, the call is a 422 that says what to do. So is an unknown query
parameter. A reserved key in \`data\`, such as \`email\`, is dropped, and \`warnings\` names it too.

| Code | Status | Meaning |
| --- | --- | --- |
${Object.entries(errorCodes)
  .map(([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join("\n")}

\`POST /contacts\`, \`POST /templates\` and \`POST /segments\` answer a missing required field with 400 and a flat body:
\`error\` is a string that names the first one, and \`message\`, \`errors\`, \`suggestion\` and \`requestId\` are as in the envelope.

## Pages and cursors

Most lists have a cursor: \`{ data, cursor, hasMore, total }\`. While \`hasMore\` is true, call again with \`?cursor=\`. Treat it as
opaque. \`limit\` is 20 unless you say otherwise, and at most 100: a larger one counts as 100, and \`warnings\` of the answer says
so, as it does of \`pageSize\`. Lists that answer a bare array are whole, and take no limit. \`GET /templates\`, \`GET /campaigns\`,
\`GET /workflows\`, the executions of a workflow and the contacts of a segment have numbered pages instead:
\`?page=2&pageSize=50\`.

## Idempotency

A connection may break before the answer arrives. Send an \`Idempotency-Key\` with \`/v1/send\`, \`/v1/track\` and
\`/events/track\`, and repeat the call with the same key: it takes effect only once. Keys are remembered for 24 hours. A 4xx
releases its key. A key that was used is a 409:

- \`details.sameRequest: true\`: this is a repeat. \`details.originalResponse\` is the first answer, so take the ids from it and
  count the call as done. While the first request is still running, there is none yet: repeat the call in a few seconds.
- \`details.sameRequest: false\`: another request used the key, with another body or path. **Yours had no effect, and its mail did
  not go out.** Send it with a key of its own.

${readsCopies ? bookmarks : ""}## Limits

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
with its line and column, and so is what Handlebars and Go write otherwise, such as \`{{#if plan}}\`: the message has the Liquid for
it. Merge tags of Mailchimp, such as \`*|FNAME|*\`, would go out as they are, so \`warnings\` has the Liquid for them. \`POST /templates/{id}/preview\` shows a mail without sending it, and names the values that are missing.

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

The footer ends with the \`company\` and \`postalAddress\` of the project, which the operator sets. A body with an unsubscribe
link of its own gets no footer, so put the address there yourself. While a project has no \`postalAddress\`, or
no \`company\`, \`warnings\` of \`/v1/send\` and \`POST /campaigns/{id}/send\` say so for \`MARKETING\` mail, and a pre-flight counts
\`missing_postal_address\` or \`missing_company\`. The United States ask for a postal address in every commercial email (15 U.S.C. 7704(a)(5), 16 CFR
316.2), Canada for a mailing address (section 2 of the Electronic Commerce Protection Regulations). In the EU, Articles 5 and 6 of
Directive 2000/31/EC ask that the sender and their address can be found; in Germany, that is § 5 and § 6 DDG. UK companies name
their registered office on business letters, electronic ones too (SI 2015/17, regulation 25). Ask a lawyer what holds for you.

### The document around a body

A body without \`<html\` is sent in a document of its own: with a viewport, the recipient's language, and one column of 600 pixels in
which tables and pictures are no wider than a phone. It is dark where the recipient's mail program is, unless the body sets a colour
of text without one of its ground, or the other way round: then it stays light, so that it can be read. A body that is a whole
document is sent as it is.
Campaigns and workflows mail \`MARKETING\` to subscribed contacts alone. \`/v1/send\` is a deliberate call of yours: it leaves out
only those who opted out, and mails a contact that was never subscribed. \`warnings\` of its answer names who that is.

### Topics

A topic is a group of marketing mail that a person can leave without leaving everything. Make one with \`POST /topics\`, and give its
id to a template as \`topicId\`. Whoever left it gets none of that template's mail: the email is \`SUPPRESSED\`. The unsubscribe
button of such a mail leaves its topic; the page behind \`manageUrl\` lists all topics. \`GET\` and \`PUT /contacts/{id}/topics\`
show and change what a contact chose. With \`defaultSubscribed: false\`, campaigns and workflows mail only who joined.
\`subscribed: false\` on a contact overrules all topics.

## Workflows

A workflow is a graph that each contact goes through by itself. It is one document, in which steps have keys of yours:

\`\`\`sh
curl ${origin}/workflows \\
  -H 'Authorization: Bearer sk_…' \\
  -d '{
    "name": "Onboarding",
    "eventName": "signup",
    "enabled": true,
    "steps": [
      { "key": "welcome", "type": "SEND_EMAIL", "templateId": "…" },
      { "key": "first-project", "type": "WAIT_FOR_EVENT", "config": { "eventName": "project_created", "timeout": 259200 } },
      { "key": "is-pro", "type": "CONDITION", "config": { "field": "data.plan", "operator": "equals", "value": "pro" } },
      { "key": "tips", "type": "SEND_EMAIL", "templateId": "…" },
      { "key": "help", "type": "SEND_EMAIL", "templateId": "…" }
    ],
    "transitions": [
      { "from": "trigger", "to": "welcome" },
      { "from": "welcome", "to": "first-project" },
      { "from": "first-project", "to": "is-pro", "branch": "event" },
      { "from": "first-project", "to": "help", "branch": "timeout" },
      { "from": "is-pro", "to": "tips", "branch": "yes" }
    ]
  }'
\`\`\`

${stepTable}

A workflow is made whole or not at all, and a fault names its place: \`steps[1].config.eventName\`. Keep the document beside your code. A
deployment asks first what would change, and then replaces the workflow:

\`\`\`sh
curl '${origin}/workflows/{id}/document?dryRun=true' -X PUT -H 'Authorization: Bearer sk_…' -d @onboarding.json
curl '${origin}/workflows/{id}/document' -X PUT -H 'Authorization: Bearer sk_…' -d @onboarding.json
\`\`\`

A step with the same key stays itself, so executions that wait there go on. While executions stand on steps that the document
no longer has, the second call is a 409 with their number: \`?moveTo=help\` has them go on at that step, \`?force=true\` ends them.
\`GET /workflows/{id}/document\` returns the document with its \`version\`; a \`PUT\` with a version is a 409 if the workflow has
changed since.

## Importing contacts

\`POST /contacts/import\` takes a CSV file, and **subscribes every new contact, also one with a no in a column \`subscribed\`**. With
the form field \`subscribed=column\` that column counts, and people who left elsewhere stay out:

\`\`\`sh
curl ${origin}/contacts/import -H 'Authorization: Bearer sk_…' -F subscribed=column -F file=@contacts.csv
\`\`\`

Without it, \`warnings\` of the job says how many rows said no, or neither yes nor no. They also count rows that seem opted out by a
column of another name, such as \`unsubscribed\`, \`opted_out\` or \`status\`. \`columns=all\` also takes ${movedNamesListed},
for people who move in.

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

\`POST /v1/track\` may be called from any page with a public key. **A contact that it creates is subscribed**, and gets your
campaigns, unless the call says \`subscribed: false\`, which is an opt-out, or the operator has set \`publicTrackSubscribes: false\`
on the project: then it is not subscribed, until a call, a confirmation or you say so.

Whoever reads your page can ask with its key which addresses you know. Have the operator set \`publicAnswers: "NONE"\` for the project:
then answers to a public key have no ids, and are the same for everybody's address. We recommend it unless your page needs the ids.

The snippet of this installation does the rest: events wait in the browser until they have arrived, and none counts twice.

\`\`\`js
window.petrel = window.petrel || function () { (petrel.q = petrel.q || []).push(arguments) };
const snippet = document.createElement("script");
Object.assign(snippet, { src: "${origin}${snippetPath}", crossOrigin: "anonymous" });
snippet.integrity = "${snippet.integrity}";
snippet.dataset.key = "pk_…";
document.head.append(snippet);

petrel("identify", "ada@example.com", { plan: "pro" });
petrel("track", "purchase", { amount: { value: 49, persistent: false } });
petrel("subscribe", { email: "ada@example.com", confirm: true }, (text) => console.log(text));
\`\`\`

By hand, a call that should survive the end of the page sends \`keepalive\`:

\`\`\`js
fetch("${origin}/v1/track", {
  method: "POST",
  keepalive: true,
  headers: { Authorization: "Bearer pk_…" },
  // Creates ada@example.com subscribed, unless the project has publicTrackSubscribes: false.
  body: JSON.stringify({ email: "ada@example.com", event: "purchase" }),
});
\`\`\`

When a page is left, send a beacon: it arrives though the page is gone. It cannot have headers, so the key is \`key\` in the body. Send
a string, or a \`Blob\` of \`text/plain\`; the body is read as JSON whatever its \`Content-Type\` says.

\`\`\`js
addEventListener("pagehide", () => {
  const event = { key: "pk_…", email: "ada@example.com", event: "left", data: { seconds: performance.now() / 1000 } };
  navigator.sendBeacon("${origin}/v1/track", JSON.stringify(event));
});
\`\`\`

An \`Authorization\` header counts before \`key\`. A secret key is refused in either place with 401.

Only \`/v1/…\` answers with CORS headers. A browser refuses to show a page the answer of any other endpoint, whatever the key:
call those from your server.

What \`data\` says is stored with the contact. Write \`"amount": { "value": 49, "persistent": false }\` for what belongs to the event
alone.

## Coming from Plunk

\`@plunk/node\` works with this installation as its base URL: \`${origin}\`, or with \`/v1/\` or \`/api/v1/\` behind it. Its
\`emails.send\` takes a secret key and its \`events.track\` a public one, so make one client for each. These things differ:

- \`type: "markdown"\` is not accepted: send HTML.
- \`from\` is required without a template, and its domain must be a verified domain of the project.
- The plain-text part is made from the HTML.
- A recipient that is new becomes a contact that is not subscribed, unless the call says \`subscribed: true\`.
`;
}
