import { sql } from "drizzle-orm";
import { sumOf } from "../../core/campaigns/counts";
import { mayBe } from "../../core/campaigns/status";
import { Gone } from "../../core/errors";
import { belowAllIds, type Id } from "../../core/ids";
import { lostAfterMs } from "../../core/nudge";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { asFlag, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne, statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { findCounts } from "../../engine/campaigns/counts";
import { contentGone } from "../../engine/mail/content";
import { insertRun, sweepAt } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import type { RetryCampaign } from "./actions/schema";
import { auditedCampaign } from "./audited";
import { getCampaign, wrongState } from "./campaign";
import { guardSendingAtOnce } from "./sending-at-once";
import { enqueueRun } from "./start";
import { forgetWatched } from "./watched";

const readStored = columns({ isStored: asFlag });

/**
 * Implements `POST /campaigns/{id}/retry`: reopens the emails that ended in one of the given statuses, in the same
 * rows. Returns the number of these emails. Throws NotFound, BadRequest unless the campaign is SENT, TooManySending,
 * and Gone when the campaign's content is no longer stored.
 */
export async function retryCampaign(ctx: Context, id: Id, { statuses }: RetryCampaign): Promise<number> {
  const retried = await untilFresh(() => retry(ctx, id, statuses), ctx.random);
  if (retried > 0) await enqueueRun(ctx, id);
  return retried;
}

async function retry(ctx: Context, id: Id, statuses: RetryCampaign["statuses"]): Promise<number> {
  const before = await getCampaign(ctx, id);
  if (!mayBe("retry", before.status)) throw wrongState("retry", before);
  const counts = sumOf(await findCounts(ctx, id));
  const counters = { FAILED: counts.failed, UNKNOWN: counts.unknown, CANCELLED: counts.cancelled };
  const retried = [...new Set(statuses)].reduce((sum, status) => sum + counters[status], 0);
  if (retried === 0) return 0;
  const { isStored } = await selectOne(
    ctx.db,
    sql`SELECT EXISTS (SELECT 1 FROM campaign_counts n CROSS JOIN email_contents c ON c.project_id = n.project_id
      AND c.id = n.content_id WHERE ${inProject(ctx, "n")} AND n.campaign_id = ${id} AND c.recipients > 0) AS is_stored`,
    readStored,
  );
  if (!isStored) throw new Gone(contentGone);
  const now = ctx.now.getTime();
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  batch.add(guardSendingAtOnce(ctx));
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'SENDING', completed_at = NULL, version = version + 1, updated_at = max(updated_at, ${now})
        WHERE ${inProject(ctx)} AND id = ${id}`,
    ),
  );
  batch.add(
    insertRun(ctx, id, {
      dueAt: sweepAt(ctx, now + lostAfterMs),
      progress: { phase: "reopen", after: belowAllIds, statuses, isCanaryOver: true },
      linkBase: null,
    }),
  );
  await batch.commit();
  forgetWatched();
  return retried;
}
