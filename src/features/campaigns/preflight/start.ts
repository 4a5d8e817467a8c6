import { type SQL, sql } from "drizzle-orm";
import { mayBe } from "../../../core/campaigns/status";
import { Conflict } from "../../../core/errors";
import { type Id, newId, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { linkBase } from "../../../engine/mail/links";
import type { Context } from "../../../platform/context";
import { getCampaign, wrongState } from "../campaign";

/** The maximum number of pre-flights of a project at a time. Each needs as much CPU as rendering a whole campaign. */
export const maxPreflightsAtOnce = 3;

/**
 * Implements `POST /campaigns/{id}/preflight`: composes the email of every recipient, without sending any. Returns the
 * job's id. A campaign has at most one such job at a time, and a second call returns the running job. Throws NotFound
 * and Conflict.
 */
export async function startPreflight(ctx: Context, id: Id): Promise<Id> {
  const campaign = await getCampaign(ctx, id);
  if (!mayBe("preflight", campaign.status)) throw wrongState("preflight", campaign);
  const type = "campaigns.preflight";
  const open = openPreflights(ctx);
  const jobId = newId();
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  const started = batch.add(
    insertJob(ctx, {
      id: jobId,
      type,
      // The base URL of recipients' links is stored, because the consumer of the job does not know it.
      input: { campaignId: id, linkBase: linkBase(ctx) },
      onlyIf: sql`(SELECT count(*) FROM (${open})) < ${maxPreflightsAtOnce}
        AND ${textOf(id)} NOT IN (SELECT campaign_id FROM (${open}))`,
    }),
  );
  const running = batch.add(statement(open, columns({ id: asId, campaignId: asId })));
  await batch.commit();
  const job = running.all.find(({ campaignId }) => textOf(campaignId) === textOf(id));
  if (!job) throw tooMany();
  if (started.first) await announceJob(ctx, type, job.id);
  return job.id;
}

/**
 * Returns a query for the project's open pre-flights. The query repeats the conditions of the partial index, so that
 * SQLite can use it.
 */
function openPreflights(ctx: Context): SQL {
  return sql`SELECT id, input->>'campaignId' AS campaign_id FROM jobs INDEXED BY ix_jobs_preflights
    WHERE ${inProject(ctx)} AND type = 'campaigns.preflight' AND status IN ('queued', 'processing')`;
}

function tooMany(): Conflict {
  return new Conflict(
    `${maxPreflightsAtOnce} campaigns of this project are being checked, which is the maximum. Nothing was started.`,
    { suggestion: "Wait until one of these jobs has ended.", details: { limit: maxPreflightsAtOnce } },
  );
}
