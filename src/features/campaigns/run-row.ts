import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { wholeRow } from "../../db/rows";
import { guard, type Statement, selectFirst, statement } from "../../db/statement";
import { type CampaignRow, type CampaignRunRow, campaignRuns } from "../../db/tables";
import { MovedOn } from "../../engine/jobs/step";
import { type Context, clockOf } from "../../platform/context";
import { readCampaign } from "./campaign";
import { notes, type Progress } from "./frozen";

/** A run that is not heard of for this long is lost. Each step takes much less. */
export const runGraceMs = minuteMs;

/** A campaign that is being sent, and where that stands. */
export interface Run {
  campaign: CampaignRow;
  step: number;
  progress: Progress;
}

/** A run that needs to know nothing of its campaign, which may be deleted. */
export interface Ending extends Pick<Run, "step" | "progress"> {
  campaign: Pick<CampaignRow, "id">;
}

const readRun = wholeRow(campaignRuns);

/** Null when nothing is to be done for the campaign. */
export async function findRun(ctx: Context, id: Id): Promise<Run | null> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT c.*, r.clock, r.due_at, r.step, r.progress, r.link_base
      FROM campaign_runs r CROSS JOIN campaigns c ON c.project_id = r.project_id AND c.id = r.id
      WHERE r.project_id = ${ctx.project.number} AND r.id = ${id}`,
    (raw) => ({ campaign: readCampaign(raw), row: readRun(raw) }),
  );
  if (found === null) return null;
  const { campaign, row } = found;
  return { campaign, step: row.step, progress: progressOf(row) };
}

/** A cancelled campaign that was deleted before its emails were: they are cancelled all the same. Else null. */
export async function findEnding(ctx: Context, id: Id): Promise<Ending | null> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT * FROM campaign_runs r WHERE r.project_id = ${ctx.project.number} AND r.id = ${id}
      AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.project_id = r.project_id AND c.id = r.id)`,
    readRun,
  );
  return row && { campaign: { id }, step: row.step, progress: progressOf(row) };
}

/** Only the statements below write it. That of a campaign that has not begun is empty, and nobody looks into it. */
function progressOf({ progress }: CampaignRunRow): Progress {
  return progress as unknown as Progress;
}

/**
 * The guard that a step's batch begins with: no other run has taken the step, and the campaign is still to be sent. A
 * pause, a cancel and a hold count as another step.
 */
export function guardStep(ctx: Context, { campaign, step }: Ending): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM campaign_runs WHERE project_id = ${ctx.project.number} AND id = ${campaign.id}
      AND step = ${step})`,
    () => new MovedOn(),
  );
}

/** The statement by which a step says where sending stands now, and when the sweep looks after it. */
export function updateRun(
  ctx: Context,
  { campaign }: Pick<Ending, "campaign">,
  progress: Progress,
  dueAt = lookAfter(ctx, ctx.realClock().getTime() + runGraceMs),
): Statement {
  return statement(
    sql`UPDATE campaign_runs SET step = step + 1, progress = ${JSON.stringify(notes(progress))}, due_at = ${dueAt}
      WHERE project_id = ${ctx.project.number} AND id = ${campaign.id}`,
  );
}

/**
 * When the sweep looks after a run that waits until then, by the real clock. On a clock of its own, which knows no such
 * waits, a run that waits is due all along: whoever moves the clock looks after it.
 */
export function lookAfter(ctx: Context, until: number): number {
  return ctx.project.testClock ? ctx.clock().getTime() : until;
}

/** For what people do: whatever step is under way has no effect any more, and the next run begins at once. */
export function interruptRun(ctx: Context, id: Id, progress?: Progress): Statement {
  const then = progress ? sql`, progress = ${JSON.stringify(notes(progress))}` : sql``;
  return statement(
    sql`UPDATE campaign_runs SET step = step + 1, due_at = ${ctx.clock().getTime()}${then}
      WHERE project_id = ${ctx.project.number} AND id = ${id}`,
  );
}

/** A run from its beginning. `dueAt` is when the sweep looks after it first. */
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
  return statement(sql`DELETE FROM campaign_runs WHERE project_id = ${ctx.project.number} AND id = ${id}`);
}

/** Deletes the pages, counters and links of a campaign that is deleted itself, and has no run that needs them. */
export function deleteLedger(ctx: Context, id: Id): Statement[] {
  const isId = sql`project_id = ${ctx.project.number} AND id = ${id}`;
  const isOver = sql`NOT EXISTS (SELECT 1 FROM campaigns WHERE ${isId})
    AND NOT EXISTS (SELECT 1 FROM campaign_runs WHERE ${isId})`;
  const ofCampaign = sql`project_id = ${ctx.project.number} AND campaign_id = ${id}`;
  const tables = [sql`campaign_pages`, sql`campaign_counts`, sql`campaign_left_out`, sql`campaign_links`];
  return tables.map((table) => statement(sql`DELETE FROM ${table} WHERE ${ofCampaign} AND ${isOver}`));
}
