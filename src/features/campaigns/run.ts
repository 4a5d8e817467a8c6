import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { MessageOf } from "../../core/messages";
import { minuteMs, secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { MovedOn } from "../../engine/jobs/step";
import { findProject } from "../../engine/projects/project";
import { isMarketingPaused } from "../../engine/projects/sending-paused";
import { type Context, forProject, type Platform } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { cancelStep, reopenStep } from "./cancel-step";
import { deliverStep } from "./deliver-step";
import { enumerateStep, measureStep } from "./enumerate-step";
import { Frozen } from "./frozen";
import { byDisabledProject, byReputation, holdCampaign, holdLookMs } from "./hold";
import type { Next } from "./next";
import { deleteRun, findEnding, findRun, guardStep, interruptRun, lookAfter, type Run, updateRun } from "./run-row";
import { startWhenDue } from "./start-due";

/** Steps of one message. */
const stepsPerMessage = 20;
const maxRunMs = 20 * secondMs;

/**
 * After more batches of the freeze than this, the next step is another message's. A batch has up to thirteen statements, a step
 * up to fifty batches, and D1 takes a thousand statements of an invocation. Other campaigns have a turn meanwhile, too.
 */
const batchesPerMessage = 25;

/** A longer wait is left to the sweep. */
const maxDelayMs = 5 * minuteMs;

/**
 * `campaigns.run`: takes a campaign some steps further. The message may be lost, late or doubled: the campaign's rows say
 * what is to be done, each step is one batch that only one run can commit, and the sweep of every minute finds who waits
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
    if (next.kind === "waits") return comeBack(ctx, message, next.until);
    batches += next.batches ?? 0;
    if (batches > batchesPerMessage) break;
    await letOthersIn();
  }
  await platform.enqueue([{ message }]);
}

async function comeBack(ctx: Context, message: MessageOf<"campaigns.run">, until: number): Promise<void> {
  const delayMs = until - ctx.realClock().getTime();
  if (delayMs > maxDelayMs) return;
  await ctx.enqueue([{ message, delaySeconds: Math.max(1, Math.ceil(delayMs / secondMs)) }]);
}

/** One step; another run that was faster has taken it, and carries on. */
async function takeStep(ctx: Context, id: Id): Promise<Next> {
  try {
    const run = await findRun(ctx, id);
    if (run !== null) return await stepOf(ctx, run);
    const ending = await findEnding(ctx, id);
    return ending === null ? { kind: "over" } : await cancelStep(ctx, ending);
  } catch (error) {
    if (error instanceof MovedOn) return { kind: "over" };
    throw error;
  }
}

function stepOf(ctx: Context, run: Run): Promise<Next> {
  switch (run.campaign.status) {
    case "SCHEDULED":
      return startWhenDue(ctx, run);
    case "SENDING":
      return run.campaign.heldReason === null ? sendOn(ctx, run) : lookAtHold(ctx, run);
    case "CANCELLED":
      return cancelStep(ctx, run);
    case "DRAFT":
    case "SENT":
      return forget(ctx, run);
  }
}

async function sendOn(ctx: Context, run: Run): Promise<Next> {
  const { type } = run.campaign;
  if (ctx.project.disabled) return hold(ctx, run, byDisabledProject);
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

async function hold(ctx: Context, run: Run, reason: string): Promise<Next> {
  await holdCampaign(ctx, run.campaign.id, reason, guardStep(ctx, run));
  return { kind: "goes on" };
}

/** A hold by reputation ends when the pause of the project is lifted; any other one when a person says so. */
async function lookAtHold(ctx: Context, run: Run): Promise<Next> {
  const { id, heldReason } = run.campaign;
  const now = ctx.realClock().getTime();
  const isOver = heldReason === byReputation && !(await isMarketingPaused(ctx, ctx.project));
  const until = heldReason === byReputation ? lookAfter(ctx, now + holdLookMs) : now + forEverMs;
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (isOver) {
    batch.addAll([
      statement(
        sql`UPDATE campaigns SET held_reason = NULL, version = version + 1
          WHERE project_id = ${ctx.project.number} AND id = ${id}`,
      ),
      interruptRun(ctx, id),
    ]);
  } else batch.add(updateRun(ctx, run, run.progress, until));
  await batch.commit();
  return isOver ? { kind: "goes on" } : { kind: "over" };
}

/** A hundred years. */
const forEverMs = 100 * 365 * 24 * 60 * minuteMs;

async function forget(ctx: Context, run: Run): Promise<Next> {
  const batch = openBatch(ctx);
  batch.addAll([guardStep(ctx, run), deleteRun(ctx, run.campaign.id)]);
  await batch.commit();
  return { kind: "over" };
}
