import { sql } from "drizzle-orm";
import { z } from "zod";
import type { FilterCondition } from "../../../core/audience/condition";
import { belowAllIds, type Id, asId as idOf, textOf } from "../../../core/ids";
import type { MessageOf } from "../../../core/messages";
import { shardOf } from "../../../core/workflows/shard-of";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { audienceOf } from "../../../db/audience";
import { openBatch } from "../../../db/batch";
import { asFlag, asJson, asNumber, asText, columns } from "../../../db/rows";
import { selectFirst, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { loadSegments } from "../../../engine/audience/named-segments";
import { scanWindow } from "../../../engine/audience/scan";
import { findScanSource } from "../../../engine/audience/scan-source";
import { totalContacts } from "../../../engine/contacts/total";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import { workOn } from "../../../engine/jobs/work";
import { openShard } from "../../../engine/workflows/shards";
import type { Context, Platform } from "../../../platform/context";

const StoredId = z.string().transform(idOf);
const Input = z.object({ workflowId: StoredId, tick: z.number() });
const State = z.object({ after: StoredId.optional() });

/** Contacts of one step: each shard is called once with its own. */
const rowsPerStep = 2_000;

const readWorkflow = columns({
  enabled: asFlag,
  triggerType: asText,
  triggerConfig: asJson<ScheduleTrigger>(),
  allowReentry: asFlag,
  contacts: asNumber,
});

/** `workflows.start`: a tick of a scheduled workflow starts it for every member of its segment. */
export function startMembersJob(platform: Platform, job: MessageOf<"workflows.start">): Promise<void> {
  return workOn(platform, job, startStep);
}

/**
 * One window of the segment's members. The shards take them before the step says how far it is: a step that is repeated
 * gives them the same contacts once more, and a shard starts each once for a tick.
 */
async function startStep(ctx: Context, row: JobRow): Promise<Step> {
  const { workflowId, tick } = Input.parse(row.input);
  const { after = belowAllIds } = State.parse(row.state);
  const workflow = await selectFirst(
    ctx.db,
    sql`SELECT enabled, trigger_type, trigger_config, allow_reentry, ${totalContacts(ctx)} AS contacts FROM workflows
      WHERE project_id = ${ctx.project.number} AND id = ${workflowId}`,
    readWorkflow,
  );
  // Somebody stopped it meanwhile, or chose another trigger.
  const isOver = !workflow?.enabled || workflow.triggerType !== "SCHEDULE" || ctx.project.disabled;
  const window = isOver || !workflow ? null : await findMembers(ctx, workflow, after);
  if (window && workflow) {
    const { allowReentry } = workflow;
    // One after another: each writes a thousand rows at once, and others want to get in between.
    for (const [number, contactIds] of Map.groupBy(window.ids, shardOf)) {
      const { address, shard } = openShard(ctx, ctx.project.number, number);
      await shard.startMany(address, { workflowId, contactIds, allowReentry, tick });
    }
  }
  const isLast = window === null || window.isLast;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(isLast ? updateTick(ctx, workflowId, tick) : updateCursor(ctx, workflowId, tick, window.edge));
  batch.add(
    isLast ? updateEnded(ctx, row, { status: "completed" }) : updateState(ctx, row, { after: textOf(window.edge) }, 50),
  );
  await batch.commit();
  return isLast ? "ended" : "goes on";
}

/** Who is a member is asked of each window as it comes. A segment that is gone has none. */
async function findMembers(ctx: Context, { triggerConfig, contacts }: ReturnType<typeof readWorkflow>, from: Id) {
  const condition: FilterCondition = {
    logic: "AND",
    groups: [{ filters: [{ field: `segment.${triggerConfig.segmentId}`, operator: "memberOfSegment" }] }],
  };
  const now = ctx.clock();
  const segments = await loadSegments(ctx, condition);
  if (!segments.has(triggerConfig.segmentId)) return null;
  const source = await findScanSource(ctx, condition, { segments, contacts, now });
  return scanWindow(ctx, audienceOf(condition, segments, now), source, {
    ...{ direction: "up", from, want: "ids", rows: rowsPerStep },
  });
}

function updateCursor(ctx: Context, workflowId: Id, tick: number, cursor: Id) {
  return statement(
    sql`UPDATE workflow_ticks SET cursor = ${cursor} WHERE project_id = ${ctx.project.number}
      AND workflow_id = ${workflowId} AND tick = ${tick}`,
  );
}

function updateTick(ctx: Context, workflowId: Id, tick: number) {
  return statement(
    sql`UPDATE workflow_ticks SET completed_at = ${ctx.clock().getTime()} WHERE project_id = ${ctx.project.number}
      AND workflow_id = ${workflowId} AND tick = ${tick}`,
  );
}
