import { sql } from "drizzle-orm";
import { Invalid, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import type { EmailType } from "../../core/mail/status";
import { guard, type Statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** A person leaves a topic by the links that only MARKETING mail must have. `field` is what the caller can change. */
export function checkTopicFits(type: EmailType, field: "topicId" | "type"): void {
  if (type === "MARKETING") return;
  const message =
    field === "topicId"
      ? `Only a MARKETING template can have a topic, and this one is ${type}`
      : "A template with a topic stays MARKETING: send topicId: null too, to take it out of its topic";
  throw new Invalid([{ field, code: "custom", message, ...(field === "type" && { received: type }) }]);
}

/** The guard of a batch that saves a template of a topic: deleting a topic looks for such templates. */
export function guardTopic(
  ctx: Context,
  topicId: Id,
  refuse: () => Error = () => new NotFound("topic", topicId),
): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM topics
      WHERE project_id = ${ctx.project.number} AND id = ${topicId} AND deleted_at IS NULL)`,
    refuse,
  );
}
