import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject, type Owner } from "../../db/scope";
import { asFlag, asJson, type Target } from "../../engine/audit/target";

/** Describes a segment for the audit log, without its members. */
export function auditedSegment(owner: Owner, id: Id): Target {
  return {
    project: owner.project.number,
    type: "segment",
    id,
    row: sql`segments WHERE ${inProject(owner)} AND id = ${id}`,
    name: sql`name`,
    fields: {
      name: sql`name`,
      description: sql`description`,
      type: sql`type`,
      condition: asJson(sql`condition`),
      trackMembership: asFlag(sql`track_membership`),
    },
  };
}
