import type { MessageOf } from "../../../core/messages";
import type { Platform } from "../../../platform/context";
import { runBulk } from "./run";

/** `contacts.bulk`: one run of a bulk operation. */
export async function bulkJob(platform: Platform, job: MessageOf<"contacts.bulk">): Promise<void> {
  await runBulk(platform, job);
}
