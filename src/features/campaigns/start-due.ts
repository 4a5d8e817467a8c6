import { sql } from "drizzle-orm";
import { TooManySending, UnverifiedSender } from "../../core/errors";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import type { Context } from "../../platform/context";
import { byDisabledProject, holdLookMs } from "./hold";
import type { Next } from "./next";
import { deleteRun, guardStep, lookAfter, type Run, updateRun } from "./run-row";
import { waitForRoom } from "./sending-at-once";
import { startCampaign } from "./start";

/**
 * Starts a campaign whose time has come. A domain that is not verified at the moment may be so again soon, and other
 * campaigns come to their end: it waits for both, and says so. For room it waits without a message: the sweep finds it.
 */
export async function startWhenDue(ctx: Context, run: Run): Promise<Next> {
  const { id, scheduledFor } = run.campaign;
  const now = ctx.clock().getTime();
  if (scheduledFor !== null && scheduledFor > now) return { kind: "over" };
  if (ctx.project.disabled) return cancelDue(ctx, run);
  const waitMs = await waitForRoom(ctx, run.campaign);
  if (waitMs !== null) return waitInLine(ctx, run, waitMs);
  try {
    await startCampaign(ctx, id, "start");
    return { kind: "goes on" };
  } catch (error) {
    if (error instanceof TooManySending) return waitInLine(ctx, run, holdLookMs);
    if (!(error instanceof UnverifiedSender)) throw error;
    const until = ctx.realClock().getTime() + holdLookMs;
    await note(ctx, run, "sender domain", lookAfter(ctx, until));
    return { kind: "waits", until };
  }
}

async function waitInLine(ctx: Context, run: Run, waitMs: number): Promise<Next> {
  await note(ctx, run, "too many campaigns", lookAfter(ctx, ctx.realClock().getTime() + waitMs));
  return { kind: "over" };
}

async function note(ctx: Context, run: Run, heldReason: string, until: number): Promise<void> {
  const { id, heldReason: before } = run.campaign;
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (before !== heldReason) {
    batch.add(
      statement(
        sql`UPDATE campaigns SET held_reason = ${heldReason}, version = version + 1
          WHERE project_id = ${ctx.project.number} AND id = ${id}`,
      ),
    );
  }
  batch.add(updateRun(ctx, run, run.progress, until));
  await batch.commit();
}

/** A campaign of a disabled project that is due is not made up for later. */
async function cancelDue(ctx: Context, run: Run): Promise<Next> {
  const { id } = run.campaign;
  const batch = openBatch(ctx);
  batch.addAll([
    guardStep(ctx, run),
    statement(
      sql`UPDATE campaigns SET status = 'CANCELLED', held_reason = ${byDisabledProject}, version = version + 1
        WHERE project_id = ${ctx.project.number} AND id = ${id} AND status = 'SCHEDULED'`,
    ),
    ...replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}),
    deleteRun(ctx, id),
  ]);
  await batch.commit();
  return { kind: "over" };
}
