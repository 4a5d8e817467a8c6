import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { actorKinds } from "../../core/audit/call";
import { id, projectId, rowKey } from "../columns";

/**
 * The changes that people, keys and the operator made. The batch that makes a change also writes its entry, so both are
 * in the same database. Changes of the installation itself are stored under project 0, which does not exist.
 */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    projectId: projectId(),
    /** The id contains the real time of the change, even in a project with its own clock. */
    id: id().notNull(),
    actorKind: text({ enum: actorKinds }).notNull(),
    /** Null for the operator's token. */
    actorId: id(),
    actorName: text(),
    action: text().notNull(),
    targetType: text().notNull(),
    /** Null for a change of the installation as a whole. */
    targetId: id(),
    targetName: text(),
    ip: text(),
    requestId: text().notNull(),
    /** An array of changes; while the batch runs, an object with the values before the change. */
    changes: text().notNull(),
  },
  (table) => [
    rowKey(table),
    index("ix_audit_entries_target").on(table.projectId, table.targetId, table.id),
    index("ix_audit_entries_actor").on(table.projectId, table.actorId, table.id),
    // Ids sort by time, so this index finds old entries.
    index("ix_audit_entries_expiry").on(table.id),
  ],
);
export type AuditEntryRow = typeof auditEntries.$inferSelect;
