import type { MessageOf } from "../../../core/messages";
import { workOn } from "../../../engine/jobs/work";
import type { Platform } from "../../../platform/context";
import { continueDeletion, releaseField } from "./continue-deletion";
import { countFields } from "./count";

/** `contacts.delete-field` */
export function deleteFieldJob(platform: Platform, job: MessageOf<"contacts.delete-field">): Promise<void> {
  return workOn(platform, job, continueDeletion, { release: releaseField });
}

/** `contacts.count-fields` */
export function countFieldsJob(platform: Platform, job: MessageOf<"contacts.count-fields">): Promise<void> {
  return workOn(platform, job, countFields);
}
