import type { Job } from "../../../core/jobs";
import type { Platform } from "../../../platform/context";
import { runBulk } from "./run";

/** `contacts.bulk`: one run of a bulk operation. */
export async function bulkJob(platform: Platform, job: Extract<Job, { type: "contacts.bulk" }>): Promise<void> {
  await runBulk(platform, job);
}
