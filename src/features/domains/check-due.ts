import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { minuteMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asId, asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

const domainsPerMessage = 20;

/**
 * How long the sweep postpones a due domain. The check itself sets the time of the next check. If the message of the
 * check is lost, the domain is due again after this time.
 */
const lostAfterMs = 15 * minuteMs;

const dueDomains = (now: Date) => sql`FROM domains INDEXED BY ix_domains_due WHERE next_check_at <= ${now.getTime()}
  AND ${isAtHome()}`;

export const hasDueDomains: IsDue = ({ now }) => exists(dueDomains(now));

/** Finds, in a sweep, the due domains of all projects, postpones them, and enqueues their checks. */
export function checkDueDomains(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => queueDue(platform, db));
}

async function queueDue(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch(platform, db);
  const due = batch.add(
    statement(
      sql`UPDATE domains SET next_check_at = ${now + lostAfterMs}
        WHERE (project_id, id) IN (SELECT project_id, id ${dueDomains(platform.now)} ORDER BY next_check_at LIMIT ${maxSweptRows})
        RETURNING project_id, id AS domain_id`,
      columns({ projectId: asNumber, domainId: asId }),
    ),
  );
  await batch.commit();
  const messages = chunksOf(due.all, domainsPerMessage);
  await platform.enqueue(messages.map((domains) => ({ message: { type: "domains.check", domains } })));
  return due.count;
}
