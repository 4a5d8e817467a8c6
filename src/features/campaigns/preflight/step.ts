import { sql } from "drizzle-orm";
import { emptyTally } from "../../../core/campaigns/tally";
import { chunksOf } from "../../../core/chunks";
import { partOf } from "../../../core/cpu";
import { NotFound, Refusal } from "../../../core/errors";
import { belowAllIds, type Id } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { maxEvaluatedPerStatement } from "../../../db/limits";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { CampaignRow, JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import { usedThisMonth } from "../../../engine/projects/monthly-usage";
import { findNext, freeze, frozenAudience } from "../../../engine/recipients/frozen";
import type { Context } from "../../../platform/context";
import { getCampaign } from "../campaign";
import { openCheck } from "./check";
import { checkPage, type Found } from "./check-page";
import { resultOf } from "./result";
import { PreflightInput, PreflightState, stateJson } from "./state";
import { preflightTokenOf } from "./token";

/** The maximum number of recipients of one step. A run that dies loses at most the work on these recipients. */
const recipientsPerStep = 500;

/** The maximum number of contacts whose data is in memory at once. The data of a contact may be 64 KB. */
const recipientsPerPage = 50;

/**
 * The maximum number of units of computation of a step: a second of CPU. After that, the step begins no further email.
 * An email takes at most 100 ms.
 */
const maxStepUnits = 100_000_000;

/** The number of rows in the first window. All of them may be recipients. */
const firstRows = recipientsPerStep;

/**
 * Takes one step of a pre-flight: the next window of the audience. The batch that adds its findings to the job also
 * stores the progress, so every email is counted once, even if a step crashes or runs twice. A campaign that was
 * changed meanwhile is checked again from the beginning.
 */
export async function preflightStep(ctx: Context, row: JobRow): Promise<Step> {
  const input = PreflightInput.parse(row.input);
  try {
    const campaign = await getCampaign(ctx, input.campaignId);
    const { data: state } = PreflightState.safeParse(row.state);
    if (state?.version !== campaign.version) return await begin(ctx, row, campaign);
    return await checkNext(ctx, row, { campaign, input, state });
  } catch (error) {
    if (error instanceof Refusal) return fail(ctx, row, error);
    throw error;
  }
}

async function begin(ctx: Context, row: JobRow, campaign: CampaignRow): Promise<Step> {
  const state: PreflightState = {
    version: campaign.version,
    frozen: await freeze(ctx, campaign),
    quota: await remainingQuota(ctx),
    after: belowAllIds,
    passed: 0,
    rows: firstRows,
    tally: emptyTally(),
  };
  const batch = openBatch(ctx);
  batch.addAll([guardState(ctx, row), updateState(ctx, row, stateJson(state), 0, { result: sql`NULL` })]);
  await batch.commit();
  return "goes on";
}

async function remainingQuota(ctx: Context): Promise<number | null> {
  const { monthlySendLimit: limit } = ctx.project;
  if (limit === null) return null;
  const { used } = await selectOne(ctx.db, sql`SELECT ${usedThisMonth(ctx)} AS used`, columns({ used: asNumber }));
  return Math.max(0, limit - used);
}

/**
 * Fails the job when the campaign was deleted, or its audience names something that was deleted. The refusal explains
 * why.
 */
async function fail(ctx: Context, row: JobRow, refusal: Refusal): Promise<Step> {
  const reason =
    refusal instanceof NotFound && refusal.resource === "campaign"
      ? "The campaign was deleted before the check had ended."
      : refusal.message;
  const batch = openBatch(ctx);
  batch.addAll([
    guardState(ctx, row),
    updateEnded(ctx, row, { status: "failed", reason, progress: row.progress, state: {} }),
  ]);
  await batch.commit();
  return "ended";
}

interface Checking {
  campaign: CampaignRow;
  input: PreflightInput;
  state: PreflightState;
}

async function checkNext(ctx: Context, row: JobRow, { campaign, input, state }: Checking): Promise<Step> {
  const { frozen, after: from } = state;
  const audience = frozenAudience(frozen);
  const rows = Math.min(state.rows, maxEvaluatedPerStatement(audience));
  const found = await findNext(ctx, frozen, { audience, from, rows });
  const { done, quota, tally } = await checkSome(ctx, { campaign, input, state }, found.ids);
  const isCut = done < found.ids.length;
  const after = isCut ? (found.ids[done - 1] ?? from) : found.after;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const result = await resultOf(ctx, campaign, tally);
  if (after === null) {
    const preflightToken = await preflightTokenOf(ctx, campaign);
    const ofVersion = { ...result, version: state.version, preflightToken };
    batch.add(updateEnded(ctx, row, { status: "completed", state: {}, result: ofVersion }));
  } else {
    const passed = state.passed + (isCut ? Math.floor((rows * done) / found.ids.length) : rows);
    const next: PreflightState = { ...state, after, quota, tally, passed, rows: nextRows(rows, found.ids.length) };
    const progress = (100 * passed) / Math.max(passed, frozen.source.rows);
    batch.add(updateState(ctx, row, stateJson(next), progress, { result: sql`${JSON.stringify(result)}` }));
  }
  await batch.commit();
  return after === null ? "ended" : "goes on";
}

/**
 * Checks the recipients `ids`, or as many of them as one step may check. `ids` is empty when the window has no
 * recipients.
 */
async function checkSome(
  ctx: Context,
  { campaign, input, state }: Checking,
  ids: Id[],
): Promise<Found & { done: number }> {
  const check = await openCheck(ctx, campaign, { linkBase: input.linkBase, frozen: state.frozen });
  const cpu = partOf(ctx.cpu, maxStepUnits);
  let found: Found = state;
  let done = 0;
  for (const page of chunksOf(ids.slice(0, recipientsPerStep), recipientsPerPage)) {
    const checked = await checkPage(ctx, check, page, found, cpu);
    found = checked;
    done += checked.done;
    if (checked.done < page.length) break;
  }
  return { ...found, done };
}

/**
 * Returns the number of rows in the next window: half as many after a window with too many recipients for one step, and
 * twice as many after a window with few recipients.
 */
function nextRows(rows: number, recipients: number): number {
  if (recipients > recipientsPerStep) return Math.max(firstRows, Math.floor(rows / 2));
  return recipients < recipientsPerStep / 2 ? 2 * rows : rows;
}
