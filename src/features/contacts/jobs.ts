import type { Job } from "../../core/jobs";
import { workOn } from "../../engine/jobs/work";
import type { Platform } from "../../platform/context";
import { eraseRest } from "./erase-rest";

/** `contacts.erase`: what the call that erased people left to do. */
export async function eraseContactJob(
  platform: Platform,
  job: Extract<Job, { type: "contacts.erase" }>,
): Promise<void> {
  await workOn(platform, job, eraseRest);
}
