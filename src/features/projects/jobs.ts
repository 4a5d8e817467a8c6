import type { MessageOf } from "../../core/messages";
import type { Platform } from "../../platform/context";
import { eraseProject } from "./erase";

/** `project.erase`: one bounded step of deleting a project's data. */
export async function eraseJob(platform: Platform, job: MessageOf<"project.erase">): Promise<void> {
  await eraseProject(platform, job);
}
