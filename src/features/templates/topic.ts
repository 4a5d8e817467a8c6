import { Invalid } from "../../core/errors";
import type { EmailType } from "../../core/mail/status";

/**
 * Refuses a topic for a template that is not MARKETING, because only MARKETING mail must have the links by which a
 * person leaves a topic. `field` is the field that the caller can change.
 */
export function checkTopicFits(type: EmailType, field: "topicId" | "type"): void {
  if (type === "MARKETING") return;
  const message =
    field === "topicId"
      ? `Only a MARKETING template can have a topic, and this one is ${type}`
      : "A template with a topic stays MARKETING: send topicId: null too, to take it out of its topic";
  throw new Invalid([{ field, code: "custom", message, ...(field === "type" && { received: type }) }]);
}
