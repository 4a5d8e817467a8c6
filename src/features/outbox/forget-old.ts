import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import type { Platform } from "../../platform/context";
import { maxSweptRows } from "../../platform/sweep";
import { deleteMessages } from "./delete-messages";

const maxRounds = 20;

/**
 * Deletes, in a sweep, old mail that the embedded provider stored. Such mail is kept as long as the content of emails.
 * Ids sort by time, so old mail has the smallest ids.
 */
export async function forgetOldMessages(platform: Platform): Promise<void> {
  const before = firstIdAt(platform.now.getTime() - platform.config.contentRetentionMs);
  for (let round = 0; round < maxRounds; round++) {
    if ((await deleteMessages(platform, sql`id < ${before}`)) < maxSweptRows) return;
  }
}
