import type { Job } from "../../core/jobs";
import type { Platform } from "../../platform/context";
import { eraseProject } from "./erase";

/** `project.erase`: one bounded step of deleting a project's data. */
export async function eraseJob(platform: Platform, job: Extract<Job, { type: "project.erase" }>): Promise<void> {
  await eraseProject(platform, job);
}
