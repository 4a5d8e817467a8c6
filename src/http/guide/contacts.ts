import { movedNamesListed } from "../../core/contacts/csv-moved";

/** Explains how to import contacts, and how they confirm. */
export function contacts(origin: string): string {
  return `## Importing contacts

\`POST /contacts/import\` takes a CSV file, and **subscribes every new contact, even one with a no in a column \`subscribed\`**. With
the form field \`subscribed=column\` that column decides, so people who have unsubscribed elsewhere stay unsubscribed:

\`\`\`sh
curl ${origin}/contacts/import -H 'Authorization: Bearer sk_…' -F subscribed=column -F file=@contacts.csv
\`\`\`

Without it, the job's \`warnings\` say how many rows have a no, or neither yes nor no. They also count rows that seem opted out
by a column with another name, such as \`unsubscribed\`, \`opted_out\` or \`status\`. \`columns=all\` also imports
${movedNamesListed}, for contacts from another system.

\`mapping\` says what columns become: \`{"E-mail address": "email", "Plan": "data.plan", "Notes": null}\`. With \`?dryRun=true\` the answer
shows the first rows as they would be stored, and counts the rows that would be skipped; nothing is stored.

Send a file of more than 5 MB, up to 100 MB, in parts: \`POST /contacts/imports\` with its \`bytes\` returns a \`url\` for each
part, to which you PUT the bytes without a key. \`POST /contacts/imports/{id}/complete\` then begins the import.

## Double opt-in

\`confirm: true\` with \`POST /contacts\`, \`/v1/track\` or \`/events/track\` mails the project's confirmation template to a contact that is
not subscribed; the operator names it as \`confirmationTemplateId\`. The button behind its \`{{ confirmUrl }}\` subscribes, for seven
days, and records \`contact.confirmed\`. The answer's \`confirmation\` is \`sent\`, \`already\` (the contact is subscribed) or \`throttled\`: a contact
gets one such mail an hour and three a day, and a project sends 100 an hour for its public keys, unless the operator has set another number.`;
}
