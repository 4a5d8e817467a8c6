import { toSnakeCase } from "drizzle-orm/casing";
import { text } from "drizzle-orm/sqlite-core";
import { contactSources } from "../core/contacts/source";
import { flag, time } from "./columns";

/**
 * The columns of a contact, apart from its data, that an import may overwrite. The table `import_changes` keeps their old
 * values, and an undo of the import restores them.
 */
export const overwritten = () => ({
  subscribed: flag().notNull(),
  optedOutAt: time(),
  optedOutBy: text(),
  snoozedUntil: time(),
  confirmedAt: time(),
  source: text({ enum: contactSources }).notNull(),
});

/** The names of these columns in SQL. */
export const overwrittenColumns = Object.keys(overwritten()).map((name) => toSnakeCase(name));
