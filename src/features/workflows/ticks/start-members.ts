import { sql } from "drizzle-orm";
import { z } from "zod";
import { memberOf } from "../../../core/audience/condition";
import { belowAllIds, type Id, asId as idOf, textOf } from "../../../core/ids";
import { shardOf } from "../../../core/workflows/shard-of";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { audienceOf } from "../../../db/audience";
import { openBatch } from "../../../db/batch";
import { asFlag, asJson, asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, selectFirst, selectOne, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { loadSegments } from "../../../engine/audience/named-segments";
import { scanWindow } from "../../../engine/audience/scan";
import { findScanSource } from "../../../engine/audience/scan-source";
import { totalContacts } from "../../../engine/contacts/total";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import type { JobRuns } from "../../../engine/jobs/work";
import { openShard } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import { startsPerSecond } from "./queue-due";

const StoredId = z.string().transform(idOf);
const Input = z.object({ workflowId: StoredId, tick: z.number() });
/** How far the job has come. Without `tick`, it is at the tick of its input; without `after`, at the first member. */
const State = z.object({ tick: z.number().optional(), after: StoredId.optional() });

/** A run takes at most a second. Then other jobs get a turn, because only a few run at a time. */
export const startMembersRuns: JobRuns = { stepsPerRun: 4, pauseSeconds };

/** The maximum number of contacts of one job step. Each shard is called once with its share of them. */
const rowsPerStep = 2_000;

const readWorkflow = columns({
  enabled: asFlag,
  triggerType: asText,
  triggerConfig: asJson<ScheduleTrigger>(),
  allowReentry: asFlag,
  contacts: asNumber,
});

/**
 * Returns how long a job pauses between runs. The more schedules its project has, the longer the pause; with only a
 * few, there is none. Even the longest pause is shorter than the time after which a job counts as lost.
 */
async function pauseSeconds(ctx: Context): Promise<number> {
  const { schedules } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS schedules FROM workflows WHERE ${inProject(ctx)} AND next_tick_at IS NOT NULL`,
    columns({ schedules: asNumber }),
  );
  return Math.floor(Math.max(0, schedules - 1) / startsPerSecond);
}

/**
 * Runs a step of `workflows.start`: starts a scheduled workflow at one tick, for one window of the segment's members.
 * The shards receive the members before the cursor is stored, so a repeated job step sends the same contacts again; a
 * shard starts an execution for each contact once per tick.
 */
export async function startMembersStep(ctx: Context, row: JobRow): Promise<Step> {
  const { workflowId, tick: first } = Input.parse(row.input);
  const { tick = first, after = belowAllIds } = State.parse(row.state);
  const workflow = await selectFirst(
    ctx.db,
    sql`SELECT enabled, trigger_type, trigger_config, allow_reentry, ${totalContacts(ctx)} AS contacts FROM workflows
      WHERE ${inProject(ctx)} AND id = ${workflowId}`,
    readWorkflow,
  );
  // The workflow was disabled or got another trigger meanwhile, or the project was disabled.
  const isOver = !workflow?.enabled || workflow.triggerType !== "SCHEDULE" || ctx.project.disabled;
  const window = isOver || !workflow ? null : await findMembers(ctx, workflow, after);
  if (window && workflow) {
    const { allowReentry } = workflow;
    // The calls are sequential, because each writes a thousand rows at once, and other requests need to get in between.
    for (const [number, contactIds] of Map.groupBy(window.ids, shardOf)) {
      const { address, shard } = openShard(ctx, ctx.project.number, number);
      await shard.startMany(address, { workflowId, contactIds, allowReentry, tick });
    }
  }
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (window === null || window.isLast) batch.addAll(endTick(ctx, row, workflowId, tick));
  else {
    batch.add(updateCursor(ctx, workflowId, tick, window.edge));
    batch.add(updateState(ctx, row, { tick, after: textOf(window.edge) }, 50));
  }
  await batch.commit();
  // The batch itself decides whether the job has ended. If so, the next step finds that in the job's row.
  return "goes on";
}

/**
 * Ends the job, or continues it with the latest tick that has come meanwhile. The batch itself looks for such a tick,
 * and ends the job if there is none.
 */
function endTick(ctx: Context, row: JobRow, workflowId: Id, tick: number): Statement[] {
  const latest = sql`(SELECT max(t.tick) FROM workflow_ticks t WHERE ${inProject(ctx, "t")}
    AND t.workflow_id = ${workflowId} AND t.tick > ${tick} AND t.completed_at IS NULL)`;
  return [
    updateTick(ctx, workflowId, tick),
    updateEnded(ctx, row, { status: "completed", onlyIf: sql`${latest} IS NULL` }),
    updateState(ctx, row, sql`json_object('tick', ${latest})`, 0, { onlyIf: sql`${latest} IS NOT NULL` }),
  ];
}

/** Finds the next window of members; null if the segment was deleted. Membership is evaluated for each window. */
async function findMembers(ctx: Context, { triggerConfig, contacts }: ReturnType<typeof readWorkflow>, from: Id) {
  const condition = memberOf(triggerConfig.segmentId);
  const now = ctx.clock();
  const segments = await loadSegments(ctx, condition);
  if (!segments.has(triggerConfig.segmentId)) return null;
  const audience = audienceOf(condition, segments, now);
  const source = await findScanSource(ctx, audience, { contacts, now });
  return scanWindow(ctx, audience, source, {
    ...{ direction: "up", from, want: "ids", rows: rowsPerStep },
  });
}

function updateCursor(ctx: Context, workflowId: Id, tick: number, cursor: Id) {
  return statement(
    sql`UPDATE workflow_ticks SET cursor = ${cursor} WHERE ${inProject(ctx)}
      AND workflow_id = ${workflowId} AND tick = ${tick}`,
  );
}

function updateTick(ctx: Context, workflowId: Id, tick: number) {
  return statement(
    sql`UPDATE workflow_ticks SET completed_at = ${ctx.clock().getTime()} WHERE ${inProject(ctx)}
      AND workflow_id = ${workflowId} AND tick = ${tick}`,
  );
}
