import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, selectFirst, statement } from "../../db/statement";
import { type CampaignRow, type CampaignRunRow, campaignRuns, campaigns } from "../../db/tables";
import { type Context, clockOf } from "../../platform/context";
import { MovedOn } from "../jobs/step";
import { notes, type Progress } from "./frozen";

/** A run without progress for this long counts as lost. Each step takes much less. */
export const runGraceMs = minuteMs;

/** A campaign that is being sent, and its progress. */
export interface Run {
  campaign: CampaignRow;
  step: number;
  progress: Progress;
}

/** A run whose campaign may already be deleted. */
export interface BareRun extends Pick<Run, "step" | "progress"> {
  campaign: Pick<CampaignRow, "id">;
}

/** How a run continues after a step: at once, at a given time, or not at all. */
export type NextStep =
  /** `batches`: the number of batches, for a step that made many. */
  { kind: "goes on"; batches?: number } | { kind: "waits"; until: number } | { kind: "over" };

const readRun = wholeRow(campaignRuns);
const readCampaign = wholeRow(campaigns);

/** Returns the run of a campaign; null when the campaign has none. */
export async function findRun(ctx: Context, id: Id): Promise<Run | null> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT c.*, r.clock, r.due_at, r.step, r.progress, r.link_base
      FROM campaign_runs r CROSS JOIN campaigns c ON c.project_id = r.project_id AND c.id = r.id
      WHERE ${inProject(ctx, "r")} AND r.id = ${id}`,
    (raw) => ({ campaign: readCampaign(raw), row: readRun(raw) }),
  );
  if (found === null) return null;
  const { campaign, row } = found;
  return { campaign, step: row.step, progress: progressOf(row) };
}

/** Returns the run of a cancelled campaign that was deleted before all its emails were cancelled; otherwise null. */
export async function findOrphanRun(ctx: Context, id: Id): Promise<BareRun | null> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT * FROM campaign_runs r WHERE ${inProject(ctx, "r")} AND r.id = ${id}
      AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.project_id = r.project_id AND c.id = r.id)`,
    readRun,
  );
  return row && { campaign: { id }, step: row.step, progress: progressOf(row) };
}

/**
 * Returns the progress of a run. The cast is safe, because only the statements below write the column. Before sending
 * begins, the column contains an empty object that nothing reads.
 */
function progressOf({ progress }: CampaignRunRow): Progress {
  return progress as unknown as Progress;
}

/**
 * Returns the guard at the start of a step's batch. The guard fails when another run has taken the step, or when
 * sending has been stopped: pausing, cancelling or holding a campaign also increases the step.
 */
export function guardStep(ctx: Context, { campaign, step }: BareRun): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM campaign_runs WHERE ${inProject(ctx)} AND id = ${campaign.id}
      AND step = ${step})`,
    () => new MovedOn(),
  );
}

/** Stores the progress of a step and the time at which the sweep next looks at the run. */
export function updateRun(
  ctx: Context,
  { campaign }: Pick<BareRun, "campaign">,
  progress: Progress,
  dueAt = sweepAt(ctx, ctx.realClock().getTime() + runGraceMs),
): Statement {
  return statement(
    sql`UPDATE campaign_runs SET step = step + 1, progress = ${JSON.stringify(notes(progress))}, due_at = ${dueAt}
      WHERE ${inProject(ctx)} AND id = ${campaign.id}`,
  );
}

/** Stores the progress of a run, if its step is still current. */
export async function saveProgress(ctx: Context, run: Run, progress: Progress, dueAt?: number): Promise<void> {
  const batch = openBatch(ctx);
  batch.addAll([guardStep(ctx, run), updateRun(ctx, run, progress, dueAt)]);
  await batch.commit();
}

/**
 * Returns when the sweep looks at a run that waits until `until` by the real clock. A project with a test clock has no
 * waits by the real clock: its run is due at once, and each advance of the clock looks at it.
 */
export function sweepAt(ctx: Context, until: number): number {
  return ctx.project.testClock ? ctx.clock().getTime() : until;
}

/**
 * Interrupts a run when a person intervenes: a step in progress can no longer commit, and the next run begins at once.
 */
export function interruptRun(ctx: Context, id: Id, progress?: Progress): Statement {
  const newProgress = progress ? sql`, progress = ${JSON.stringify(notes(progress))}` : sql``;
  return statement(
    sql`UPDATE campaign_runs SET step = step + 1, due_at = ${ctx.clock().getTime()}${newProgress}
      WHERE ${inProject(ctx)} AND id = ${id}`,
  );
}

/** Inserts a run, or starts it again. `dueAt` is when the sweep first looks at it. */
export function insertRun(
  ctx: Context,
  id: Id,
  { dueAt, progress, linkBase }: { dueAt: number; progress: Progress | null; linkBase: string | null },
): Statement {
  return statement(
    sql`INSERT INTO campaign_runs (project_id, id, clock, due_at, progress, link_base)
      VALUES (${ctx.project.number}, ${id}, ${clockOf(ctx)}, ${dueAt}, ${progress ? JSON.stringify(notes(progress)) : "{}"}, ${linkBase})
      ON CONFLICT (project_id, id) DO UPDATE SET step = step + 1, due_at = excluded.due_at, progress = excluded.progress,
        link_base = coalesce(excluded.link_base, link_base)`,
  );
}

export function deleteRun(ctx: Context, id: Id): Statement {
  return statement(sql`DELETE FROM campaign_runs WHERE ${inProject(ctx)} AND id = ${id}`);
}

const ledgerTables = [sql`campaign_pages`, sql`campaign_counts`, sql`campaign_left_out`, sql`campaign_links`];

/**
 * Deletes the pages, counters and links of a campaign, once the campaign is neither there nor in the trash, and has no
 * run that needs them.
 */
export function deleteLedger(ctx: Context, id: Id): Statement[] {
  const isId = sql`${inProject(ctx)} AND id = ${id}`;
  const isOver = sql`NOT EXISTS (SELECT 1 FROM campaigns WHERE ${isId})
    AND NOT EXISTS (SELECT 1 FROM trash WHERE ${isId} AND type = 'campaign')
    AND NOT EXISTS (SELECT 1 FROM campaign_runs WHERE ${isId})`;
  const ofCampaign = sql`${inProject(ctx)} AND campaign_id = ${id}`;
  return ledgerTables.map((table) => statement(sql`DELETE FROM ${table} WHERE ${ofCampaign} AND ${isOver}`));
}

/** Like `deleteLedger`, for campaigns of any projects. `keys` is a JSON array of objects with `projectId` and `id`. */
export function deleteLedgers(keys: string): Statement[] {
  const isIn = (table: string) =>
    sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} o WHERE o.project_id = r.value->>'projectId' AND o.id = r.value->>'id'`;
  const over = sql`SELECT r.value->>'projectId', r.value->>'id' FROM json_each(${keys}) r WHERE NOT ${isIn("campaigns")})
    AND NOT ${isIn("trash")} AND o.type = 'campaign') AND NOT ${isIn("campaign_runs")})`;
  return ledgerTables.map((table) => statement(sql`DELETE FROM ${table} WHERE (project_id, campaign_id) IN (${over})`));
}
