import { sql } from "drizzle-orm";
import { mayBe } from "../../core/campaigns/status";
import { BadRequest, Invalid } from "../../core/errors";
import type { Id } from "../../core/ids";
import { minuteMs, secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { linkBase } from "../../engine/mail/links";
import { insertRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import type { SendCampaign } from "./actions/schema";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { guardSenders, sendersOf } from "./save-statements";
import { enqueueRun } from "./start";
import { forgetWatched } from "./watched";

/**
 * Returns the time at which the call wants the campaign to start, in milliseconds; null for now. Throws BadRequest and
 * Invalid.
 */
export function startTimeOf(ctx: Context, { scheduledFor, delaySeconds }: SendCampaign): number | null {
  const at = readScheduledFor(scheduledFor);
  if (delaySeconds === undefined) return at;
  if (at === null) return ctx.now.getTime() + delaySeconds * secondMs;
  const message = "Cannot be sent together with scheduledFor: leave one of them out";
  throw new Invalid([{ field: "delaySeconds", code: "custom", message, received: delaySeconds }]);
}

/**
 * Reads a time in any form that JavaScript's own date parser takes; null for now. Throws BadRequest for other values.
 */
function readScheduledFor(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  const at = typeof given === "string" || typeof given === "number" ? new Date(given).getTime() : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new BadRequest(`scheduledFor is not a time: ${JSON.stringify(given).slice(0, 100)}. Nothing was scheduled.`, {
    suggestion:
      "Send a time with a time zone, such as 2026-01-31T09:00:00Z, or leave out scheduledFor to send at once.",
    details: { field: "scheduledFor" },
  });
}

/**
 * Schedules a campaign, or changes its time. A time in the past is due at the next tick. Throws NotFound,
 * UnverifiedSender, and BadRequest when the campaign's status does not allow scheduling. The statements of `also` go
 * into the same batch.
 */
export async function scheduleCampaign(
  ctx: Context,
  id: Id,
  at: number,
  also: (scheduled: CampaignRow) => Promise<Statement[]>,
): Promise<CampaignRow> {
  const scheduled = await untilFresh(() => schedule(ctx, id, at, also), ctx.random);
  // A campaign that is due within a minute gets a delayed message, because the sweep, which runs every minute, would
  // start it late.
  const waitMs = at - ctx.now.getTime();
  if (waitMs > 0 && waitMs <= minuteMs) await enqueueRun(ctx, id, Math.ceil(waitMs / secondMs));
  return scheduled;
}

async function schedule(
  ctx: Context,
  id: Id,
  at: number,
  also: (scheduled: CampaignRow) => Promise<Statement[]>,
): Promise<CampaignRow> {
  const before = await getCampaign(ctx, id);
  if (!mayBe("schedule", before.status)) throw wrongState("schedule", before);
  const now = ctx.now.getTime();
  const updatedAt = Math.max(before.updatedAt, now);
  const after: CampaignRow = { ...before, status: "SCHEDULED", heldReason: null, scheduledFor: at, updatedAt };
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  batch.addAll(guardSenders(ctx, sendersOf(before)));
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const scheduled = batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'SCHEDULED', held_reason = NULL, scheduled_for = ${at}, updated_at = ${updatedAt},
          version = version + 1
        WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
      readCampaign,
    ),
  );
  batch.add(insertRun(ctx, id, { dueAt: at, progress: null, linkBase: linkBase(ctx) }));
  batch.addAll(await also(after));
  await batch.commit();
  forgetWatched();
  return scheduled.one;
}
