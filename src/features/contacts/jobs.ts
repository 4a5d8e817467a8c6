import type { MessageOf } from "../../core/messages";
import { workOn } from "../../engine/jobs/work";
import type { Platform } from "../../platform/context";
import { eraseRest } from "./erase-rest";

/**
 * `contacts.erase`: erases what the call left. The contacts are deleted, so clients cannot repeat the call, and the
 * rest is data of people who were promised to be forgotten: the job is never given up.
 */
export async function eraseContactJob(platform: Platform, job: MessageOf<"contacts.erase">): Promise<void> {
  await workOn(platform, job, eraseRest, { release: null });
}
