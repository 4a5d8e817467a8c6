import { type SQL, sql } from "drizzle-orm";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Timed } from "../../engine/clock/timed";
import { pauseOf } from "../../engine/projects/sending-paused";
import type { Context } from "../../platform/context";
import { byReputation } from "./hold";
import { runCampaign } from "./run";

/** Scheduled campaigns, holds of canaries, and all campaigns that are being sent or cancelled. */
export const timedCampaigns: Timed = {
  name: "campaigns",
  isDue: (ctx) => sql`EXISTS (SELECT 1 ${due(ctx)} AND ${hasWork(ctx)})`,
  async settle(ctx) {
    const runs = await select(ctx.db, sql`SELECT r.id ${due(ctx)}`, columns({ id: asId }));
    for (const { id } of runs) {
      await runCampaign(ctx, { type: "campaigns.run", projectId: ctx.project.number, campaignId: id });
    }
  },
  nextAt: ({ project, clock }) => sql`SELECT min(due_at) FROM campaign_runs INDEXED BY ix_campaign_runs_due
    WHERE clock = ${project.number} AND due_at > ${clock().getTime()} AND project_id = ${project.number}`,
};

function due({ project, clock }: Context): SQL {
  return sql`FROM campaign_runs r INDEXED BY ix_campaign_runs_due
    WHERE r.clock = ${project.number} AND r.due_at <= ${clock().getTime()} AND r.project_id = ${project.number}`;
}

/**
 * A condition: the run `r` has something to do. It waits for a person while its campaign is held, and for time to pass
 * while all its released emails will be retried later.
 */
function hasWork({ project, clock }: Context): SQL {
  const ofRun = sql`project_id = r.project_id AND campaign_id = r.id`;
  const isHeld = sql`EXISTS (SELECT 1 FROM campaigns k WHERE k.project_id = r.project_id AND k.id = r.id
    AND k.status IN ('SCHEDULED', 'SENDING') AND k.held_reason IS NOT NULL
    AND NOT (k.held_reason = ${byReputation} AND ${pauseOf(project) === null}))`;
  const isOfCanary = sql`(part = 'CANARY' OR r.progress->>'canary' IS NULL OR r.progress->>'isCanaryOver' IS TRUE)`;
  const hasHeldPages = sql`EXISTS (SELECT 1 FROM campaign_pages WHERE ${ofRun} AND released_at IS NULL AND open > 0
    AND ${isOfCanary})`;
  const isRetried = sql`EXISTS (SELECT 1 FROM emails INDEXED BY ix_emails_due WHERE clock = r.clock AND ${ofRun}
    AND due_at IS NOT NULL AND status = 'QUEUED' AND next_attempt_at > ${clock().getTime()})`;
  return sql`NOT ${isHeld} AND NOT (r.progress->>'phase' IS 'deliver' AND NOT ${hasHeldPages} AND ${isRetried})`;
}
