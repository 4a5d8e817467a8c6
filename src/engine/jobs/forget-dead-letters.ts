import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows } from "../../platform/sweep";

/** How long an operator can look up the messages that a queue gave up on. */
const retentionMs = 30 * dayMs;
const maxPasses = 20;

/** The sweep over old dead letters, which are in the control database. Their ids are in order of time. */
export async function forgetDeadLetters(platform: Platform): Promise<void> {
  const before = firstIdAt(platform.now.getTime() - retentionMs);
  for (let pass = 0; pass < maxPasses; pass++) {
    const batch = openBatch(platform, platform.control);
    const deleted = batch.add(
      statement(
        sql`DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters WHERE id < ${before}
          ORDER BY id LIMIT ${maxSweptRows}) RETURNING 1`,
      ),
    );
    await batch.commit();
    if (deleted.count < maxSweptRows) return;
  }
}
