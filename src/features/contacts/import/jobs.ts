import type { MessageOf } from "../../../core/messages";
import type { Platform } from "../../../platform/context";
import { runImport } from "./run";

/** `contacts.import`: one run of an import. */
export async function importJob(platform: Platform, job: MessageOf<"contacts.import">): Promise<void> {
  await runImport(platform, job);
}
