import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import type { Platform } from "../../platform/context";
import { maxSweptRows } from "../../platform/sweep";
import { deleteMessages } from "./delete-messages";

const maxRounds = 20;

/**
 * Sweeps old mail that the embedded provider stored. Stored mail contains content, so it is retained as long as
 * content. Ids are in the order of time.
 */
export async function forgetOldMessages(platform: Platform): Promise<void> {
  const before = firstIdAt(platform.now.getTime() - platform.config.contentRetentionMs);
  for (let round = 0; round < maxRounds; round++) {
    if ((await deleteMessages(platform, sql`id < ${before}`)) < maxSweptRows) return;
  }
}
