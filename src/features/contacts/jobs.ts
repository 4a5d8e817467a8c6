import type { MessageOf } from "../../core/messages";
import { workOn } from "../../engine/jobs/work";
import type { Platform } from "../../platform/context";
import { eraseRest } from "./erase-rest";

/**
 * `contacts.erase`: what the call that erased people left to do. The contacts are gone, so nobody could ask for it again,
 * and what is left is about people who were promised to be forgotten: it is never given up.
 */
export async function eraseContactJob(platform: Platform, job: MessageOf<"contacts.erase">): Promise<void> {
  await workOn(platform, job, eraseRest, { release: null });
}
