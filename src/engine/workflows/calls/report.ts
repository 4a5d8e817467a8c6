import { sql } from "drizzle-orm";
import { asId, type Id } from "../../../core/ids";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { isOneOf } from "../../outbound/rows";
import { shardOfContact } from "../shards";
import { type CallKey, workflowRows } from "./rows";

/** The step of an execution that waits for a call. */
export interface WaitingStep {
  contactId: Id;
  executionId: Id;
  stepId: Id;
}

/**
 * Reports a call's outcome to its execution, perhaps more than once. Returns false if the execution may still ask for
 * the outcome.
 */
export type Settle = (ctx: Context, caller: WaitingStep, outcome: StepOutcome) => Promise<boolean>;

/** Reports to the contact's shard, which ignores the outcome if the execution no longer waits for the call. */
export const settleCall: Settle = async (ctx, { contactId, executionId, stepId }, outcome) => {
  const { address, shard } = shardOfContact(ctx, contactId);
  return shard.settle(address, { executionId, stepId, outcome });
};

const reportsAtOnce = 10;

/**
 * Reports a stored outcome to the executions. If a report is lost, the execution asks for the outcome. An outcome may
 * contain parts of the answer, so it is deleted once the execution has taken the report, or otherwise after two days.
 */
export async function report(ctx: Context, settle: Settle, keys: CallKey[], outcome: StepOutcome): Promise<void> {
  const reported: CallKey[] = [];
  const left = keys.values();
  const runner = async () => {
    for (const key of left) {
      try {
        if (await settle(ctx, callerOf(key), outcome)) reported.push(key);
      } catch (error) {
        ctx.log("error", "A call's outcome was not reported to its execution, which will ask for it", {
          reason: reasonOf(error),
        });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(reportsAtOnce, keys.length) }, runner));
  if (reported.length === 0) return;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`UPDATE workflow_calls SET outcome = NULL
        WHERE ${isOneOf(ctx, workflowRows, reported)} AND ended_at IS NOT NULL AND outcome IS NOT NULL`,
    ),
  );
  await batch.commit();
}

function callerOf({ contactId, effectId }: CallKey): WaitingStep {
  const [executionId = "", stepId = ""] = effectId.split(":");
  return { contactId, executionId: asId(executionId), stepId: asId(stepId) };
}
