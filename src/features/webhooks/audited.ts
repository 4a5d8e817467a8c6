import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject, type Owner } from "../../db/scope";
import { asFlag, asJson, type Target } from "../../engine/audit/target";

/** Describes a webhook for the audit log. */
export function auditedWebhook(owner: Owner, id: Id): Target {
  return {
    project: owner.project.number,
    type: "webhook",
    id,
    row: sql`webhooks WHERE ${inProject(owner)} AND id = ${id}`,
    name: sql`url`,
    fields: {
      url: sql`url`,
      events: asJson(sql`events`),
      description: sql`description`,
      disabled: asFlag(sql`disabled_at IS NOT NULL`),
    },
    hidden: { secret: sql`secret` },
  };
}
