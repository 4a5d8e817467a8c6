import { errorCodes } from "../error-codes";

/** A section that is included only if databases have copies. */
const bookmarks = `## Reading from a copy nearby

This installation has copies of its database, which usually lag behind it by less than a second. Without a header, your calls
read the database itself. A copy may answer a \`GET\` with a \`Petrel-Bookmark\` header:

- **The bookmark of an answer.** Each answer has a \`Petrel-Bookmark\` header. Send the last one with your next call: you
  then see everything that you have done and seen before, and perhaps more. After an answer without a bookmark, send none.
- **\`any\`.** You read whatever the nearest copy has. Something created a moment ago may be missing, or be a 404.

A bookmark is opaque, and valid for any number of calls of the project. Any other value is a 400. Calls that change something
read the database itself, with or without a bookmark.

`;

/** Explains how calls are made: keys, errors, pages, repeats and limits. */
export function calls(origin: string, { readsCopies }: { readsCopies: boolean }): string {
  return `## Quickstart

Send an email. \`sk_…\` is your project's secret key, and the part of \`from\` after the @ is one of its verified domains.

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

The answer comes once the email is stored: \`data.emails[0].email\` is its id, and \`GET /emails/{id}\` shows what became
of it. The recipient is now a contact of the project, and \`data\` is stored with the contact.

\`UNKNOWN\` means that the mail provider did not answer and may have sent the email, so Petrel does not send it again. A report
of the provider settles the status, or Petrel's question to the provider where that is possible, or your
\`POST /emails/{id}/retry\`: \`settledBy\` says which.

With \`"scheduledAt": "2026-01-31T09:00:00Z"\`, at most 30 days ahead, an email waits until then. \`DELETE /emails/{id}\` cancels
an email that has not gone out.

To send from a domain of your own, call \`POST /domains\`, create the DNS records that it returns, and wait for \`VERIFIED\`.

## Keys

| Key | Where it may be | What it may do |
| --- | --- | --- |
| \`sk_…\` secret | on your servers only | everything in its project |
| \`sk_…\` read | on your servers only | what changes nothing: each GET, \`/v1/verify\`, lookups, previews, pre-flights, simulations, explanations |
| \`pk_…\` public | in web pages and apps | \`POST /v1/track\`, nothing else |

Send a key as \`Authorization: Bearer …\`. Everybody can read a public key, so it cannot undo a person's own unsubscription,
and has rate limits and idempotency keys of its own. A call with a public key may have 32 KB and 64 keys of data. Such calls
can make the data of one contact 32 KB at most, and add at most 1,000 field names and 1,000 event names to a project.
Workflows that events of a public key start or wake send at most 500 emails an hour, unless the operator has set another
number, and one a day to a contact that only public keys have named; further mail waits. Such an event's data never becomes
a link in an email: \`https://a.example\` is shown as \`https[:]//a[.]example\`.

\`GET /me\` shows the project and the kind of your key. A call that a \`read\` key may not make is a 403 \`READ_ONLY_KEY\`.

\`POST /mcp\` serves assistants through the Model Context Protocol, with the same keys: [how to connect one](${origin}/docs/mcp).

A contact's \`source\` is \`PUBLIC\` if only public keys have named the contact. Segments count events of all keys, so add
\`source\` to a condition that should leave such contacts out.

\`POST /segments/preview\` counts exactly in a project of up to 250,000 contacts. In a larger one, it may scan only some
of them: then \`approximate\` is true, and \`count\` is an estimate, or null if none of them matches.

## Errors

Every error has the same envelope. \`error.code\` is for your code, \`error.message\` and \`error.suggestion\` are for you, and
\`error.requestId\` is for support. A 422 lists each field in \`error.errors\`. A call that is refused has no effect.

A 403 for a sender whose domain is not verified has the code \`INTERNAL_SERVER_ERROR\`, which says nothing. Its
\`details.reason\` is \`domain_not_verified\`, and \`details.domain\` names the domain. Match on that:

\`\`\`js
if (error.details?.reason === "domain_not_verified") verifyFirst(error.details.domain);
\`\`\`

Codes may be added. Treat an unknown code by its status.

Unknown fields are ignored, and \`warnings\` in the answer names them. But an unknown query parameter, or a field that has
another name here, such as \`html\`, \`cc\`, \`variables\` or \`send_at\`, is a 422 that says what to send instead. Reserved keys in
\`data\`, such as \`email\`, are dropped, and \`warnings\` names them too.

| Code | Status | Meaning |
| --- | --- | --- |
${Object.entries(errorCodes)
  .map(([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join("\n")}

\`POST /contacts\`, \`POST /templates\` and \`POST /segments\` answer a missing required field with 400 and a flat body:
\`error\` is a string that names the first one, and \`message\`, \`errors\`, \`suggestion\` and \`requestId\` are as in the envelope.

## Concurrent changes

Templates, campaigns, segments, workflows and contacts have a \`version\`, which increases with every change. A \`PUT\` or \`PATCH\` with
\`If-Match: "7"\` changes nothing unless 7 is still the current version: otherwise it is a 412 \`VERSION_MISMATCH\`, and its
\`details\` have the \`current\` version, the time of the last change as \`changedAt\`, and in \`changedBy\` the \`kind\` and \`name\`
of the caller who made it, or null for a contact that no person has changed. Without the header, the last call wins, field by field.

## Pages and cursors

Most lists have a cursor: \`{ data, cursor, hasMore, total }\`. While \`hasMore\` is true, call again with \`?cursor=\`. Treat the
cursor as opaque. \`limit\` is 20 by default and at most 100: a larger one counts as 100, and \`warnings\` in the answer says so;
the same applies to \`pageSize\`. Lists that return a bare array are complete, and have no limit. \`GET /templates\`, \`GET /campaigns\`,
\`GET /workflows\`, the executions of a workflow and the contacts of a segment have numbered pages instead:
\`?page=2&pageSize=50\`.

## Idempotency

A connection may break before the answer arrives. Send an \`Idempotency-Key\` with \`/v1/send\`, \`/v1/track\` and
\`/events/track\`, and repeat the call with the same key: it takes effect only once. Keys are remembered for 24 hours. A 4xx
releases its key. A key that was used before is a 409:

- \`details.sameRequest: true\`: this is a repeat. \`details.originalResponse\` is the first answer, so take the ids from it and
  count the call as done. While the first request is still running, it is absent: repeat the call in a few seconds.
- \`details.sameRequest: false\`: another request used the key, with another body or path. **Yours had no effect, and its mail did
  not go out.** Send it with a new key.

${readsCopies ? bookmarks : ""}## Limits

| What | Limit |
| --- | --- |
| Recipients of one call | 500 |
| Attachments of one email | 10 files, 10 MB together |
| Data of one contact | 64 KB |
| Contacts of a bulk call | 1,000 |
| Templates, workflows of a project | 1,000 each |
| Suppressions of a project | 1,000,000 |
| CSV file | 5 MB |

The operator may change the limits of attachments, and set rate limits. Each answer then has \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\`, and a 429 has \`Retry-After\` in seconds.`;
}
