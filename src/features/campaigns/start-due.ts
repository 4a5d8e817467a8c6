import { sql } from "drizzle-orm";
import { type beforeItsStart, byCarrier, byDisabledProject } from "../../core/campaigns/hold-reasons";
import { TooManySending, UnverifiedSender } from "../../core/mail/errors";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { carriesMarketing } from "../../engine/mail/accept/require-carrier";
import { deleteRun, guardStep, type NextStep, type Run, sweepAt, updateRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { holdCheckMs } from "./hold";
import { waitInLineMs } from "./sending-at-once";
import { startCampaign } from "./start";

type HoldReason = (typeof beforeItsStart)[number];

/**
 * Starts a campaign whose time has come. Three obstacles make the campaign wait and store the reason: its sender domain
 * is not verified, no provider carries marketing mail, or too many other campaigns are being sent. Each of them may end
 * by itself. A campaign that waits in line sends itself no message, because the sweep finds it.
 */
export async function startWhenDue(ctx: Context, run: Run): Promise<NextStep> {
  const { id, scheduledFor } = run.campaign;
  const now = ctx.clock().getTime();
  if (scheduledFor !== null && scheduledFor > now) return { kind: "over" };
  if (ctx.project.disabled) return cancelDue(ctx, run);
  if (run.campaign.type === "MARKETING" && !carriesMarketing(ctx)) return holdOn(ctx, run, byCarrier);
  const waitMs = await waitInLineMs(ctx, run.campaign);
  if (waitMs !== null) return waitInLine(ctx, run, waitMs);
  try {
    await startCampaign(ctx, id, "start");
    return { kind: "goes on" };
  } catch (error) {
    if (error instanceof TooManySending) return waitInLine(ctx, run, holdCheckMs);
    if (!(error instanceof UnverifiedSender)) throw error;
    return holdOn(ctx, run, "sender domain");
  }
}

async function holdOn(ctx: Context, run: Run, heldReason: HoldReason): Promise<NextStep> {
  const until = ctx.realClock().getTime() + holdCheckMs;
  await recordHold(ctx, run, heldReason, sweepAt(ctx, until));
  return { kind: "waits", until };
}

async function waitInLine(ctx: Context, run: Run, waitMs: number): Promise<NextStep> {
  await recordHold(ctx, run, "too many campaigns", sweepAt(ctx, ctx.realClock().getTime() + waitMs));
  return { kind: "over" };
}

async function recordHold(ctx: Context, run: Run, heldReason: HoldReason, until: number): Promise<void> {
  const { id, heldReason: before } = run.campaign;
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (before !== heldReason) {
    batch.add(
      statement(
        sql`UPDATE campaigns SET held_reason = ${heldReason}, version = version + 1
          WHERE ${inProject(ctx)} AND id = ${id}`,
      ),
    );
  }
  batch.add(updateRun(ctx, run, run.progress, until));
  await batch.commit();
}

/** Cancels a due campaign of a disabled project, so that it is not sent when the project is enabled again. */
async function cancelDue(ctx: Context, run: Run): Promise<NextStep> {
  const { id } = run.campaign;
  const batch = openBatch(ctx);
  batch.addAll([
    guardStep(ctx, run),
    statement(
      sql`UPDATE campaigns SET status = 'CANCELLED', held_reason = ${byDisabledProject}, version = version + 1
        WHERE ${inProject(ctx)} AND id = ${id} AND status = 'SCHEDULED'`,
    ),
    ...replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}),
    deleteRun(ctx, id),
  ]);
  await batch.commit();
  return { kind: "over" };
}
