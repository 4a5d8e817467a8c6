import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, projectId } from "../columns";
import { overwritten } from "../overwritten-columns";

/**
 * The contacts that an import created or changed, with the values that it overwrote, so that the import can be undone.
 * The rows are kept for three days. When a file names a contact twice, the values from before its first row are kept.
 */
export const importChanges = sqliteTable(
  "import_changes",
  {
    projectId: projectId(),
    jobId: id().notNull(),
    contactId: id().notNull(),
    /** The contact's version after the import. A different version shows that the contact has changed since. */
    version: integer().notNull(),
    isNew: flag().notNull(),
    /**
     * The contact's data before the import. Null for a new contact, and when one chunk of the import overwrote more
     * data than Petrel keeps.
     */
    data: text(),
    ...overwritten(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.jobId, table.contactId] }),
    // Finds the rows of a contact, which are deleted when the contact is erased.
    index("ix_import_changes_contact").on(table.projectId, table.contactId),
    index("ix_import_changes_expiry").on(table.jobId),
  ],
);
