import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Id, asId as idOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { guardState, type Step, updateEnded } from "../../../engine/jobs/step";
import { allShards } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";

const ticksPerStep = 1_000;

const StoredId = z.string().transform(idOf);
const Input = z.object({ workflowId: StoredId });

/**
 * Runs a step of `workflows.forget`: deletes the ticks of a deleted workflow, then tells every shard to forget its
 * executions. Each shard deletes them in the background, and their rows in D1 as well.
 */
export async function forgetWorkflowStep(ctx: Context, row: JobRow): Promise<Step> {
  const { workflowId } = Input.parse(row.input);
  const ticks = openBatch(ctx);
  ticks.add(guardState(ctx, row));
  const deleted = ticks.add(deleteTicks(ctx, workflowId));
  await ticks.commit();
  if (deleted.count === ticksPerStep) return "goes on";
  const shards = allShards(ctx, ctx.project.number);
  await Promise.all(shards.map(({ address, shard }) => shard.forgetWorkflow(address, workflowId)));
  const last = openBatch(ctx);
  last.addAll([guardState(ctx, row), updateEnded(ctx, row, { status: "completed" })]);
  await last.commit();
  return "ended";
}

function deleteTicks(ctx: Context, workflowId: Id): Statement<{ tick: number }> {
  const isOfIt = sql`${inProject(ctx)} AND workflow_id = ${workflowId}`;
  const next = sql`SELECT tick FROM workflow_ticks WHERE ${isOfIt} LIMIT ${ticksPerStep}`;
  return statement(
    sql`DELETE FROM workflow_ticks WHERE ${isOfIt} AND tick IN (${next}) RETURNING tick`,
    columns({ tick: asNumber }),
  );
}
