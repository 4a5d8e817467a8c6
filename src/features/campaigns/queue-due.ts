import { sql } from "drizzle-orm";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import { asId, asNumber, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { runGraceMs } from "../../engine/recipients/run-row";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";

const readDue = columns({ projectId: asNumber, id: asId });

const dueRuns = (now: Date) =>
  sql`FROM campaign_runs INDEXED BY ix_campaign_runs_due WHERE clock = 0 AND due_at <= ${now.getTime()}
    AND ${isAtHome()}`;

export const hasDueCampaigns: IsDue = ({ now }) => exists(dueRuns(now));

/** Sweeps campaigns that are due: at their scheduled time, after a wait, or after a lost message. */
export function queueDueCampaigns(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    const due = batch.add(
      statement(
        sql`UPDATE campaign_runs SET due_at = ${now + runGraceMs}
          WHERE (project_id, id) IN (SELECT project_id, id ${dueRuns(platform.now)} ORDER BY due_at LIMIT ${maxSweptRows})
          RETURNING project_id, id`,
        readDue,
      ),
    );
    await batch.commit();
    await platform.enqueue(
      due.all.map(({ projectId, id }) => ({ message: { type: "campaigns.run", projectId, campaignId: id } })),
    );
    return due.count;
  });
}

/**
 * Makes every started campaign due at the start of a process, because no run of the previous process is alive. A
 * campaign that has not started keeps its scheduled time.
 */
export function endGraceOfRuns(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const now = platform.now.getTime();
    const batch = openBatch(platform, db);
    batch.add(
      statement(
        sql`UPDATE campaign_runs SET due_at = ${now}
          WHERE clock = 0 AND due_at > ${now} AND due_at <= ${now + runGraceMs}
            AND ${isAtHome()}
            AND EXISTS (SELECT 1 FROM campaigns c WHERE c.project_id = campaign_runs.project_id AND c.id = campaign_runs.id
              AND c.status = 'SENDING')`,
      ),
    );
    await batch.commit();
    return 0;
  });
}
