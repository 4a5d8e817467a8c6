import { sql } from "drizzle-orm";
import { byCarrier, byDisabledProject, byReputation } from "../../core/campaigns/hold-reasons";
import type { Id } from "../../core/ids";
import type { MessageOf } from "../../core/messages";
import { minuteMs, secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { MovedOn } from "../../engine/jobs/step";
import { carriesMarketing } from "../../engine/mail/accept/require-carrier";
import { findProject } from "../../engine/projects/project";
import { isMarketingPaused } from "../../engine/projects/sending-paused";
import { Frozen } from "../../engine/recipients/frozen";
import {
  deleteRun,
  findOrphanRun,
  findRun,
  guardStep,
  interruptRun,
  type NextStep,
  type Run,
  sweepAt,
  updateRun,
} from "../../engine/recipients/run-row";
import { type Context, forProject, type Platform } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { cancelStep, reopenStep } from "./cancel-step";
import { deliverStep } from "./deliver-step";
import { enumerateStep, measureStep } from "./enumerate-step";
import { holdCampaign, holdCheckMs } from "./hold";
import { startWhenDue } from "./start-due";

/** The maximum number of steps per message. */
const stepsPerMessage = 20;
const maxRunMs = 20 * secondMs;

/**
 * After more than this many batches of the phase "enumerate", another message takes the next step. The last step can
 * add fifty batches, and a batch has up to thirteen statements, so an invocation stays below the thousand statements
 * that D1 allows. This also gives other campaigns a turn.
 */
const batchesPerMessage = 25;

/** The longest delay with which a run sends its next message. After a longer wait, the sweep sends the message. */
const maxDelayMs = 5 * minuteMs;

/**
 * `campaigns.run`: takes some steps of a campaign. The message may be lost, late or duplicated. The campaign's rows
 * determine the work, and only one run can commit the batch of a step. Every minute, a sweep finds campaigns that wait
 * too long.
 */
export async function runCampaign(platform: Platform, message: MessageOf<"campaigns.run">): Promise<void> {
  const project = await findProject(platform, message.projectId);
  if (!project) return;
  const ctx = forProject(platform, project);
  const endsAt = ctx.realClock().getTime() + maxRunMs;
  let batches = 0;
  for (let steps = 0; steps < stepsPerMessage && ctx.realClock().getTime() < endsAt; steps++) {
    const next = await takeStep(ctx, message.campaignId);
    if (next.kind === "over") return;
    if (next.kind === "waits") return requeueRun(ctx, message, next.until);
    batches += next.batches ?? 0;
    if (batches > batchesPerMessage) break;
    await letOthersIn();
  }
  await platform.enqueue([{ message }]);
}

async function requeueRun(ctx: Context, message: MessageOf<"campaigns.run">, until: number): Promise<void> {
  const delayMs = until - ctx.realClock().getTime();
  if (delayMs > maxDelayMs) return;
  await ctx.enqueue([{ message, delaySeconds: Math.max(1, Math.ceil(delayMs / secondMs)) }]);
}

/** Takes one step. If another run has taken the step first, this run ends and the other one continues. */
async function takeStep(ctx: Context, id: Id): Promise<NextStep> {
  try {
    const run = await findRun(ctx, id);
    if (run !== null) return await stepOf(ctx, run);
    const orphan = await findOrphanRun(ctx, id);
    return orphan === null ? { kind: "over" } : await cancelStep(ctx, orphan);
  } catch (error) {
    if (error instanceof MovedOn) return { kind: "over" };
    throw error;
  }
}

function stepOf(ctx: Context, run: Run): Promise<NextStep> {
  switch (run.campaign.status) {
    case "SCHEDULED":
      return startWhenDue(ctx, run);
    case "SENDING":
      return run.campaign.heldReason === null ? continueSending(ctx, run) : checkHold(ctx, run);
    case "CANCELLED":
      return cancelStep(ctx, run);
    case "DRAFT":
    case "SENT":
      return deleteEndedRun(ctx, run);
  }
}

async function continueSending(ctx: Context, run: Run): Promise<NextStep> {
  const { type } = run.campaign;
  if (ctx.project.disabled) return hold(ctx, run, byDisabledProject);
  if (type === "MARKETING" && !carriesMarketing(ctx)) return hold(ctx, run, byCarrier);
  if (type === "MARKETING" && (await isMarketingPaused(ctx, ctx.project))) return hold(ctx, run, byReputation);
  const frozen = Frozen.parse(run.campaign.frozen);
  switch (run.progress.phase) {
    case "measure":
      await measureStep(ctx, run, frozen);
      return { kind: "goes on" };
    case "enumerate":
      return { kind: "goes on", batches: await enumerateStep(ctx, run, frozen) };
    case "reopen":
      return reopenStep(ctx, run);
    case "deliver":
      return deliverStep(ctx, run);
    case "cancel":
      return cancelStep(ctx, run);
  }
}

async function hold(ctx: Context, run: Run, reason: string): Promise<NextStep> {
  await holdCampaign(ctx, run.campaign.id, reason, guardStep(ctx, run));
  return { kind: "goes on" };
}

/**
 * Checks a hold. A hold for reputation ends together with the pause of the project's marketing mail. A hold because no
 * provider carries marketing mail ends when one does. Any other hold ends when a person resumes the campaign.
 */
async function checkHold(ctx: Context, run: Run): Promise<NextStep> {
  const { id, heldReason } = run.campaign;
  const now = ctx.realClock().getTime();
  const endsByItself = heldReason === byReputation || heldReason === byCarrier;
  const isOver =
    heldReason === byReputation
      ? !(await isMarketingPaused(ctx, ctx.project))
      : heldReason === byCarrier && carriesMarketing(ctx);
  const until = endsByItself ? sweepAt(ctx, now + holdCheckMs) : now + forEverMs;
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (isOver) {
    batch.addAll([
      statement(
        sql`UPDATE campaigns SET held_reason = NULL, version = version + 1
          WHERE ${inProject(ctx)} AND id = ${id}`,
      ),
      interruptRun(ctx, id),
    ]);
  } else batch.add(updateRun(ctx, run, run.progress, until));
  await batch.commit();
  return isOver ? { kind: "goes on" } : { kind: "over" };
}

/** A hundred years. */
const forEverMs = 100 * 365 * 24 * 60 * minuteMs;

async function deleteEndedRun(ctx: Context, run: Run): Promise<NextStep> {
  const batch = openBatch(ctx);
  batch.addAll([guardStep(ctx, run), deleteRun(ctx, run.campaign.id)]);
  await batch.commit();
  return { kind: "over" };
}
