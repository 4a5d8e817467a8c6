import { errorCodes } from "../error-codes";

/** A section that is included only if databases have copies. */
const bookmarks = `## Reading from a copy nearby

This installation has copies of its database, which usually lag behind it by less than a second. Without a header, your calls
read the database itself. A call of \`GET\` with a \`Petrel-Bookmark\` header may be answered by a copy:

- **The bookmark of an answer.** Each answer has a \`Petrel-Bookmark\` header. Send the last one back with your next call: you
  see everything that you have done and seen before, and perhaps more. After an answer without one, send none.
- **\`any\`.** You read whatever the nearest copy has. Something created a moment ago may be missing, or be a 404.

A bookmark is opaque, and valid for any number of calls of the project. Any other value is a 400. Calls that change something
read the database itself, whatever they send.

`;

/** Explains how calls are made: keys, errors, pages, repeats and limits. */
export function calls(origin: string, { readsCopies }: { readsCopies: boolean }): string {
  return `## Quickstart

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
made, and it has rate limits and idempotency keys of its own. A call with a public key may have 32 KB and 64 keys of data.
Such calls make the data of one contact at most 32 KB, and add at most 1,000 field names and 1,000 event names to a project. Workflows that its
events start or wake mail 500 times an hour, unless the operator set another number, and once a day to a contact that nobody else
has named; later mail waits for its turn. What such an event says becomes no link: \`https://a.example\` reads \`https[:]//a[.]example\`.

\`GET /me\` says to which project and which key a call belongs. Any other call of a \`read\` key is a 403 \`READ_ONLY_KEY\`.

\`POST /mcp\` is for assistants, by the Model Context Protocol, with the same keys: [how to connect one](${origin}/docs/mcp).

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

## Two who edit the same

Templates, campaigns, segments, workflows and contacts have a \`version\`, which increases with every change. A \`PUT\` or \`PATCH\` with
\`If-Match: "7"\` changes nothing unless 7 is still the current version: otherwise it is a 412 \`VERSION_MISMATCH\`, and its
\`details\` have the \`current\` version, the time of the last change as \`changedAt\`, and in \`changedBy\` the \`kind\` and \`name\`
of who made it: null for a contact that no person changed. Without the header, the last call wins, field by field.

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
\`RateLimit-Remaining\` and \`RateLimit-Reset\`, and a 429 has \`Retry-After\` in seconds.`;
}
