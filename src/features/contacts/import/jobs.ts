import type { Job } from "../../../core/jobs";
import type { Platform } from "../../../platform/context";
import { runImport } from "./run";

/** `contacts.import`: one run of an import. */
export async function importJob(platform: Platform, job: Extract<Job, { type: "contacts.import" }>): Promise<void> {
  await runImport(platform, job);
}
