import { z } from "zod";
import { asId, type Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import type { Statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { Vacating } from "../../platform/workflow-shards";
import { insertJob } from "../jobs/queue-job";
import { guardState, type Step, updateEnded, updateState } from "../jobs/step";
import { allShards } from "./shards";

/** The removed steps of a workflow, and the step to which their executions move; null if the executions end. */
export type Vacated = Omit<Vacating, "after">;

/** Each shard's cursor, by the shard's number. A shard that is done is left out. */
type Cursors = Record<string, string>;

/**
 * Queues the job that moves executions off removed steps, in the batch that deletes the steps. The job also finds
 * executions that reach a removed step while the batch commits.
 */
export function insertVacating(ctx: Context, { jobId, ...input }: Vacated & { jobId: Id }): Statement<{ id: Id }> {
  return insertJob(ctx, { id: jobId, type: "workflows.vacate", input });
}

const StoredId = z.string().transform(asId);
const Input = z.object({ workflowId: StoredId, stepIds: z.array(StoredId), to: StoredId.nullable() });
const State = z.object({ cursors: z.record(z.string(), z.string()).optional() });

/** Runs a step of `workflows.vacate`: every shard processes its next window of executions. */
export async function vacateStep(ctx: Context, row: JobRow): Promise<Step> {
  const { cursors } = State.parse(row.state);
  const left = await vacateNext(ctx, Input.parse(row.input), cursors);
  const isOver = Object.keys(left).length === 0;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(isOver ? updateEnded(ctx, row, { status: "completed" }) : updateState(ctx, row, { cursors: left }, 50));
  await batch.commit();
  return isOver ? "ended" : "goes on";
}

/** Has all shards process their next window in parallel. Returns their new cursors. Can be repeated. */
export async function vacateNext(ctx: Context, given: Vacated, cursors?: Cursors): Promise<Cursors> {
  const shards = allShards(ctx, ctx.project.number).filter(({ address }) => !cursors || cursors[address.shard]);
  const next = await Promise.all(
    shards.map(async ({ address, shard }) => {
      const after = cursors?.[address.shard] ?? "";
      return [address.shard, await shard.vacate(address, { ...given, after })] as const;
    }),
  );
  return Object.fromEntries(next.flatMap(([shard, after]) => (after === null ? [] : [[shard, after]])));
}
