import { sql } from "drizzle-orm";
import { installation } from "../../core/audit/call";
import type { Id } from "../../core/ids";
import type { Target } from "../../engine/audit/target";

/** Describes a key of the installation for the audit log. */
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
