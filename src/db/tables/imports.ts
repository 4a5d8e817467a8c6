import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { contactSources } from "../../core/contacts/source";
import { flag, id, projectId, time } from "../columns";

/**
 * The contacts that an import created or changed, with what it overwrote, so that it can be undone. Kept for two days.
 * Where a file names a contact twice, the first values stay.
 */
export const importChanges = sqliteTable(
  "import_changes",
  {
    projectId: projectId(),
    jobId: id().notNull(),
    contactId: id().notNull(),
    /** The version that the import gave the contact. Another one shows that somebody has touched the contact since. */
    version: integer().notNull(),
    isNew: flag().notNull(),
    /** The contact's data before; null for a new contact, and where a chunk of the import overwrote too much to keep. */
    data: text(),
    subscribed: flag().notNull(),
    optedOutAt: time(),
    optedOutBy: text(),
    snoozedUntil: time(),
    confirmedAt: time(),
    source: text({ enum: contactSources }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.jobId, table.contactId] }),
    // A person's erasure deletes them.
    index("ix_import_changes_contact").on(table.projectId, table.contactId),
    index("ix_import_changes_expiry").on(table.jobId),
  ],
);
