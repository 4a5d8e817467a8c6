import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { installation, type Target } from "../../engine/audit/target";

/** A key of the installation as the audit log shows it. */
export function auditedMonitorKey(id: Id): Target {
  return {
    project: installation,
    type: "key",
    id,
    row: sql`monitor_keys WHERE id = ${id}`,
    name: sql`coalesce(name, prefix)`,
    fields: { kind: sql`'monitor'`, name: sql`name`, prefix: sql`prefix` },
    hidden: { key: sql`hash` },
  };
}
