import { type SQL, sql } from "drizzle-orm";
import type { AuditedCall } from "../core/audit/call";
import type { Id } from "../core/ids";
import { type Statement, statement } from "./statement";

/** The part of an audit entry that is not about the call itself. */
export interface EntryFacts {
  /** The number of the project, or 0 for the installation. */
  project: number;
  id: Id;
  type: string;
  target: Id | SQL | null;
  name: SQL;
  changes: SQL;
}

/** Inserts an entry of the audit log. A batch that runs again finds its entry and does not alter it. */
export function insertAuditEntry(
  call: AuditedCall,
  { project, id, type, target, name, changes }: EntryFacts,
): Statement {
  const { action, actor, ip, requestId } = call;
  return statement(sql`INSERT INTO audit_entries (project_id, id, actor_kind, actor_id, actor_name, action, target_type,
      target_id, target_name, ip, request_id, changes)
    VALUES (${project}, ${id}, ${actor.kind}, ${actor.id}, ${actor.name}, ${action}, ${type}, ${target}, ${name}, ${ip},
      ${requestId}, ${changes})
    ON CONFLICT DO NOTHING`);
}

/** The audit entry of a whole call. The first batch of the call that writes something also writes the entry. */
export interface CallEntry {
  insert: Statement;
  isWritten: boolean;
}
