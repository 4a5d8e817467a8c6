import { readChanges } from "../../core/audit/changes";
import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import { iso } from "../../core/time";
import type { AuditEntryRow } from "../../db/tables";

export function entryJson(row: AuditEntryRow) {
  return {
    id: publicId(row.id),
    at: iso(timeOf(row.id)),
    actor: { kind: row.actorKind, id: publicIdOrNull(row.actorId), name: row.actorName },
    action: row.action,
    target: { type: row.targetType, id: publicIdOrNull(row.targetId), name: row.targetName },
    changes: readChanges(row.changes),
    ip: row.ip,
    requestId: row.requestId,
  };
}
