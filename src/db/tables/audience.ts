import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Referrer } from "../../core/audience/references";
import { id, projectId } from "../columns";

/**
 * The segments, campaigns and workflows that name a field, an event or a segment. The batch that saves a condition also
 * writes its references, so that finding the uses of a name takes one index lookup and never a scan of conditions.
 */
export const audienceReferences = sqliteTable(
  "audience_references",
  {
    projectId: projectId(),
    kind: text({ enum: ["field", "event", "segment"] }).notNull(),
    /** A field as filters write it (`data.plan`), an event's name, or a segment's id. */
    name: text().notNull(),
    referrer: text().$type<Referrer>().notNull(),
    referrerId: id().notNull(),
    /** The referrer's name, written whenever the referrer is saved. */
    referrerName: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.kind, table.name, table.referrer, table.referrerId] }),
    index("ix_audience_references_referrer").on(table.projectId, table.referrer, table.referrerId),
  ],
);
