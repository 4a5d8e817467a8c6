import { sql } from "drizzle-orm";
import { sumOf } from "../../core/campaigns/counts";
import { mayBe } from "../../core/campaigns/status";
import { Gone } from "../../core/errors";
import { belowAllIds, type Id } from "../../core/ids";
import { lostAfterMs } from "../../core/nudge";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { asNumber, columns } from "../../db/rows";
import { selectOne, statement } from "../../db/statement";
import { findCounts } from "../../engine/campaigns/counts";
import { contentGone } from "../../engine/mail/content";
import type { Context } from "../../platform/context";
import type { RetryCampaign } from "./actions/schema";
import { getCampaign, wrongState } from "./campaign";
import { insertRun, lookAfter } from "./run-row";
import { guardSendingAtOnce } from "./sending-at-once";
import { callForRun } from "./start";

const readKept = columns({ kept: asNumber });

/**
 * `POST /campaigns/{id}/retry`: opens the emails that ended so again. They are the same rows. Returns how many there are.
 * Throws NotFound, BadRequest unless it is SENT, TooManySending, and Gone when its content is not kept any longer.
 */
export async function retryCampaign(ctx: Context, id: Id, { statuses }: RetryCampaign): Promise<number> {
  const retried = await untilFresh(() => retry(ctx, id, statuses), ctx.random);
  if (retried > 0) await callForRun(ctx, id);
  return retried;
}

async function retry(ctx: Context, id: Id, statuses: RetryCampaign["statuses"]): Promise<number> {
  const before = await getCampaign(ctx, id);
  if (!mayBe("retry", before.status)) throw wrongState("retry", before);
  const counts = sumOf(await findCounts(ctx, id));
  const names = { FAILED: counts.failed, UNKNOWN: counts.unknown, CANCELLED: counts.cancelled };
  const retried = [...new Set(statuses)].reduce((sum, status) => sum + names[status], 0);
  if (retried === 0) return 0;
  const { kept } = await selectOne(
    ctx.db,
    sql`SELECT EXISTS (SELECT 1 FROM campaign_counts n CROSS JOIN email_contents c ON c.project_id = n.project_id
      AND c.id = n.content_id WHERE n.project_id = ${ctx.project.number} AND n.campaign_id = ${id}) AS kept`,
    readKept,
  );
  if (kept === 0) throw new Gone(contentGone);
  const now = ctx.now.getTime();
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  batch.add(guardSendingAtOnce(ctx));
  batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'SENDING', completed_at = NULL, version = version + 1, updated_at = max(updated_at, ${now})
        WHERE project_id = ${ctx.project.number} AND id = ${id}`,
    ),
  );
  batch.add(
    insertRun(ctx, id, {
      dueAt: lookAfter(ctx, now + lostAfterMs),
      progress: { phase: "reopen", after: belowAllIds, statuses, isCanaryOver: true },
      linkBase: null,
    }),
  );
  await batch.commit();
  return retried;
}
