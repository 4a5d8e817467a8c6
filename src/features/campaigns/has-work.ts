import { type SQL, sql } from "drizzle-orm";
import { byCarrier, byReputation } from "../../core/campaigns/hold-reasons";
import { carriesMarketing } from "../../engine/mail/accept/require-carrier";
import { pauseOf } from "../../engine/projects/sending-paused";
import type { Context } from "../../platform/context";

/**
 * Matches a row of `campaign_runs` that has something to do. A run has nothing to do while its campaign is held for a
 * person to decide, or while all its released emails wait for a later retry.
 */
export function hasWork(ctx: Context): SQL {
  const { project, clock } = ctx;
  const ofRun = sql`project_id = campaign_runs.project_id AND campaign_id = campaign_runs.id`;
  const isHeld = sql`EXISTS (SELECT 1 FROM campaigns k WHERE k.project_id = campaign_runs.project_id AND k.id = campaign_runs.id
    AND k.status IN ('SCHEDULED', 'SENDING') AND k.held_reason IS NOT NULL
    AND NOT (k.held_reason = ${byReputation} AND ${pauseOf(project) === null})
    AND NOT (k.held_reason = ${byCarrier} AND ${carriesMarketing(ctx)}))`;
  const isOfCanary = sql`(part = 'CANARY' OR campaign_runs.progress->>'canary' IS NULL OR campaign_runs.progress->>'isCanaryOver' IS TRUE)`;
  const hasHeldPages = sql`EXISTS (SELECT 1 FROM campaign_pages WHERE ${ofRun} AND released_at IS NULL AND open > 0
    AND ${isOfCanary})`;
  const isRetried = sql`EXISTS (SELECT 1 FROM emails INDEXED BY ix_emails_due WHERE clock = campaign_runs.clock AND ${ofRun}
    AND due_at IS NOT NULL AND status = 'QUEUED' AND next_attempt_at > ${clock().getTime()})`;
  return sql`NOT ${isHeld} AND NOT (campaign_runs.progress->>'phase' IS 'deliver' AND NOT ${hasHeldPages} AND ${isRetried})`;
}
