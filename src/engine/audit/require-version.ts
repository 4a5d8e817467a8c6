import { sql } from "drizzle-orm";
import type { Actor } from "../../core/audit/call";
import { VersionMismatch } from "../../core/errors";
import { firstIdAt, type Id } from "../../core/ids";
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
  throw new VersionMismatch(ifMatch, { ...row, changedBy: await findLastActor(ctx, row.id) });
}

const readActor = columns({ kind: asOneOf<Actor["kind"]>(), name: orNull(asText) });

/**
 * Returns who last changed a row, according to the audit log; null when the log has no change of the row since the
 * given time.
 */
export function findLastActor(ctx: Context, target: Id, since = 0): Promise<Pick<Actor, "kind" | "name"> | null> {
  return selectFirst(
    ctx.db,
    sql`SELECT actor_kind AS kind, actor_name AS name FROM audit_entries INDEXED BY ix_audit_entries_target
      WHERE ${inProject(ctx)} AND target_id = ${target} AND id >= ${firstIdAt(since)} ORDER BY id DESC LIMIT 1`,
    readActor,
  );
}
