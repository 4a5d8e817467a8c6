import { sql } from "drizzle-orm";
import { ofCampaigns } from "../../core/mail/priority";
import { paceOf } from "../../core/mail/project-pace";
import { iso, isoOrNull, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asJson, asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Progress as RunProgress } from "../../engine/recipients/frozen";
import type { Context } from "../../platform/context";
import type { CampaignProgress } from "./progress-schema";

/**
 * The maximum number of pages whose emails are searched for the reason why the campaign waits. A page has at most 500
 * recipients.
 */
const pagesSearched = 4;

const readRun = columns({ progress: asJson<Partial<RunProgress>>() });
const readLedger = columns({ remaining: asNumber, open: asNumber, since: orNull(asNumber) });
const readReason = columns({ error: asText, emails: asNumber, nextAt: orNull(asNumber) });

type Ledger = ReturnType<typeof readLedger>;
type Reason = ReturnType<typeof readReason>;
type WaitFields = Pick<CampaignProgress, "waitingFor" | "waitingSince" | "continuesAt">;

const noWait: WaitFields = { waitingFor: null, waitingSince: null, continuesAt: null };

/** The progress of a campaign whose recipients are not all known yet. */
export const preparing: CampaignProgress = { stage: "PREPARING", remaining: null, open: 0, ...noWait };

/**
 * Returns how far the sending of a campaign is, and what the campaign waits for. Takes one round trip, however large
 * the campaign is: reads the counts of its pages, and the emails of a few pages. Null unless the campaign is SENDING.
 */
export async function findProgress(ctx: Context, row: CampaignRow): Promise<CampaignProgress | null> {
  if (row.status !== "SENDING") return null;
  const ofCampaign = sql`${inProject(ctx)} AND campaign_id = ${row.id}`;
  const isOut = sql`released_at IS NOT NULL AND open > 0`;
  const batch = openBatch(ctx);
  const runs = batch.add(
    statement(sql`SELECT progress FROM campaign_runs WHERE ${inProject(ctx)} AND id = ${row.id}`, readRun),
  );
  const ledger = batch.add(
    statement(
      sql`SELECT coalesce(sum(open), 0) AS remaining, coalesce(sum(open) FILTER (WHERE ${isOut}), 0) AS open,
          min(released_at) FILTER (WHERE ${isOut}) AS since
        FROM campaign_pages WHERE ${ofCampaign}`,
      readLedger,
    ),
  );
  const reasons = batch.add(
    statement(
      sql`SELECT e.error, count(*) AS emails, min(e.next_attempt_at) AS next_at
        FROM (SELECT first_id, last_id FROM campaign_pages WHERE ${ofCampaign} AND ${isOut}
          ORDER BY first_id LIMIT ${pagesSearched}) p
        CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id BETWEEN p.first_id AND p.last_id
        WHERE +e.campaign_id = ${row.id} AND e.status = 'QUEUED' AND e.error IS NOT NULL
        GROUP BY e.error ORDER BY emails DESC, e.error LIMIT 1`,
      readReason,
    ),
  );
  await batch.commit();
  // If there is no run, the campaign's last step was taken just after its row was read. The next read then returns
  // SENT.
  const run = runs.all[0]?.progress ?? {};
  return progressOf(ctx, row, { run, ledger: ledger.one, reason: reasons.all[0] ?? null });
}

interface ProgressRows {
  run: Partial<RunProgress>;
  ledger: Ledger;
  reason: Reason | null;
}

function progressOf(ctx: Context, row: CampaignRow, found: ProgressRows): CampaignProgress {
  const { run, ledger } = found;
  const isWritten = run.phase === "deliver";
  const counted = { remaining: isWritten ? ledger.remaining : null, open: ledger.open };
  if (row.heldReason !== null) {
    return { stage: "HELD", ...counted, ...noWait, waitingFor: row.heldReason, waitingSince: iso(row.updatedAt) };
  }
  if (!isWritten) return { ...preparing, open: ledger.open };
  const isCanary = run.canary !== undefined && run.isCanaryOver !== true;
  if (isCanary && run.holdUntil !== undefined && ledger.open === 0) {
    return { stage: "CANARY_HOLD", ...counted, ...holdOf(row, run.holdUntil) };
  }
  return { stage: isCanary ? "CANARY" : "SENDING", ...counted, ...waitOf(ctx, found) };
}

function holdOf({ canary }: CampaignRow, holdUntil: number): WaitFields {
  return {
    waitingFor: "Reports on the canary's emails: the others follow when the hold ends",
    waitingSince: iso(holdUntil - (canary?.holdMinutes ?? 0) * minuteMs),
    continuesAt: iso(holdUntil),
  };
}

/**
 * Returns what the campaign waits for: emails that are tried again, with the most frequent reason. Without such emails,
 * the campaign may wait for the project's pace.
 */
function waitOf(ctx: Context, { ledger, reason }: ProgressRows): WaitFields {
  const waitingSince = isoOrNull(ledger.since);
  if (reason !== null) {
    const { error, emails, nextAt } = reason;
    const subject = emails === 1 ? "1 email that is" : `${emails} emails that are`;
    const isAhead = nextAt !== null && nextAt > ctx.clock().getTime();
    return { waitingFor: `${subject} tried again: ${error}`, waitingSince, continuesAt: isAhead ? iso(nextAt) : null };
  }
  const perSecond = paceOf(ctx, ofCampaigns);
  if (perSecond === null || ledger.remaining === 0) return noWait;
  return {
    ...noWait,
    waitingFor: `The project's pace of ${perSecond === 1 ? "1 email" : `${perSecond} emails`} a second`,
    waitingSince,
  };
}
