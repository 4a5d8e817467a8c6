import { sql } from "drizzle-orm";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { sweepDatabases } from "../../platform/sweep";
import type { OutboundCalls } from "./drain";
import { leaseMs, nextDue } from "./rows";

/** Returns a condition that holds when receivers of this kind wait for calls. */
export function hasWaiting({ waiting }: OutboundCalls): IsDue {
  return ({ now }) => exists(waiting(now.getTime()));
}

/**
 * Sweeps all projects for due calls, and sends a message if there are any. A call is due here when its wait is over, or
 * when its message was lost.
 */
export function queueDue(platform: Platform, { findDue, message }: OutboundCalls): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const [first] = await findDue(db, platform.now.getTime(), 1);
    if (first) await platform.enqueue([{ message }]);
    return 0;
  });
}

/**
 * Makes claimed calls due at the start of a process, because the previous process, which held their leases, is gone. A
 * call whose retry is less than a lease away looks the same, so it becomes due as well.
 */
export function endLeases(platform: Platform, { rows }: OutboundCalls): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    batch.add(
      statement(
        sql`UPDATE ${rows.calls} SET next_attempt_at = ${now}
          WHERE next_attempt_at > ${now} AND next_attempt_at <= ${now + leaseMs} AND ${isAtHome()}`,
      ),
    );
    batch.add(
      statement(
        sql`UPDATE ${rows.receivers} SET due_at = ${nextDue(rows)}
          WHERE due_at > ${now} AND due_at IS NOT ${nextDue(rows)} AND ${isAtHome()}`,
      ),
    );
    await batch.commit();
    return 0;
  });
}
