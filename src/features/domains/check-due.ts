import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { minuteMs } from "../../core/time";
import { query } from "../../db/commit";
import type { Platform } from "../../platform/context";

/** One statement takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 10;
const domainsPerMessage = 20;

/** A check sets the time of the next one. When its message is lost, the domain is due again after this. */
const lostAfterMs = 15 * minuteMs;

/** The sweep over domains that are due, in all projects. It takes them and enqueues; the checks are jobs. */
export async function checkDueDomains(platform: Platform): Promise<void> {
  const now = platform.now.getTime();
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      const due = await query(
        db,
        sql`UPDATE domains SET next_check_at = ${now + lostAfterMs}
          WHERE id IN (SELECT id FROM domains INDEXED BY ix_domains_due
            WHERE next_check_at <= ${now} ORDER BY next_check_at LIMIT ${limit})
          RETURNING id, project_id`,
      );
      const domains = due.map(({ id, project_id }) => ({ domainId: String(id), projectId: String(project_id) }));
      const messages = chunksOf(domains, domainsPerMessage);
      await platform.enqueue(messages.map((chunk) => ({ job: { type: "domains.check", domains: chunk } })));
      if (due.length < limit) break;
    }
  }
}
