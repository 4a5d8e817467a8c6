import { movedNamesListed } from "../../core/contacts/csv-moved";

/** Explains how to import contacts, and how they confirm. */
export function contacts(origin: string): string {
  return `## Importing contacts

\`POST /contacts/import\` takes a CSV file, and **subscribes every new contact, also one with a no in a column \`subscribed\`**. With
the form field \`subscribed=column\` that column counts, and people who left elsewhere stay out:

\`\`\`sh
curl ${origin}/contacts/import -H 'Authorization: Bearer sk_…' -F subscribed=column -F file=@contacts.csv
\`\`\`

Without it, \`warnings\` of the job says how many rows said no, or neither yes nor no. They also count rows that seem opted out by a
column of another name, such as \`unsubscribed\`, \`opted_out\` or \`status\`. \`columns=all\` also takes ${movedNamesListed},
for people who move in.

\`mapping\` says what columns become: \`{"E-mail address": "email", "Plan": "data.plan", "Notes": null}\`. With \`?dryRun=true\` the answer
shows the first rows as they would be stored, and counts what would be skipped; nothing is stored.

A file of more than 5 MB, up to 100 MB, goes in parts: \`POST /contacts/imports\` with its \`bytes\` answers with a \`url\` for each part,
which takes the bytes with PUT and needs no key. \`POST /contacts/imports/{id}/complete\` then begins the import.

## Double opt-in

\`confirm: true\` with \`POST /contacts\`, \`/v1/track\` or \`/events/track\` mails the project's confirmation template to a contact that is
not subscribed; the operator names it as \`confirmationTemplateId\`. The button behind its \`{{ confirmUrl }}\` subscribes, for seven
days, and records \`contact.confirmed\`. The answer's \`confirmation\` is \`sent\`, \`already\` (they are subscribed) or \`throttled\`: a contact
gets one such mail an hour and three a day, and a project sends 100 an hour for its public keys, unless its operator set another number.`;
}
