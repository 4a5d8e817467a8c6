import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../core/audit/call";
import { VersionMismatch } from "../../core/errors";
import type { Id } from "../../core/ids";
import type { Versioned } from "../../core/if-match";
import { asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * Throws VersionMismatch when the call names a version of the row other than the current one. The refusal names the
 * caller of the last change, if the audit log has it.
 */
export async function requireAuditedVersion(ctx: Context, row: Versioned & { id: Id }): Promise<void> {
  const { ifMatch } = ctx;
  if (ifMatch === null || ifMatch === row.version) return;
  throw new VersionMismatch(ifMatch, { ...row, changedBy: await findLastActor(ctx, row.id, withChanges) });
}

/** Leaves out the entries of calls that changed nothing in the row itself, such as a test of a campaign. */
const withChanges = sql`changes <> '[]'`;

const readActor = columns({ kind: asOneOf<Actor["kind"]>(), name: orNull(asText) });

/**
 * Returns who made the last call on a row, looking only at entries of the audit log that meet the condition `among`.
 */
export function findLastActor(ctx: Context, target: Id, among: SQL): Promise<Pick<Actor, "kind" | "name"> | null> {
  return selectFirst(
    ctx.db,
    sql`SELECT actor_kind AS kind, actor_name AS name FROM audit_entries INDEXED BY ix_audit_entries_target
      WHERE ${inProject(ctx)} AND target_id = ${target} AND ${among} ORDER BY id DESC LIMIT 1`,
    readActor,
  );
}
