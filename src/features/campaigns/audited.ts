import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { auditedContent } from "../../db/content-columns";
import { inProject, type Owner } from "../../db/scope";
import { asId, asJson, asTime, type Target } from "../../engine/audit/target";

/** Describes a campaign for the audit log. */
export function auditedCampaign(owner: Owner, id: Id): Target {
  return {
    project: owner.project.number,
    type: "campaign",
    id,
    row: sql`campaigns WHERE ${inProject(owner)} AND id = ${id}`,
    name: sql`name`,
    fields: {
      name: sql`name`,
      description: sql`description`,
      status: sql`status`,
      heldReason: sql`held_reason`,
      scheduledFor: asTime(sql`scheduled_for`),
      type: sql`type`,
      audienceType: sql`audience_type`,
      segmentId: asId(sql`segment_id`),
      audienceCondition: asJson(sql`audience_condition`),
      topicId: asId(sql`topic_id`),
      templateId: asId(sql`template_id`),
      ...auditedContent,
      canary: asJson(sql`canary`),
    },
    hidden: { body: sql`coalesce(body, body_key)`, variants: sql`variants` },
  };
}
