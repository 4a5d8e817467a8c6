import { newIdAt } from "../../core/ids";
import type { Context } from "../../platform/context";
import { newWorkflow, saveNew, triggerStep } from "./insert";
import type { CreateWorkflow } from "./schema";
import { readTrigger } from "./trigger";
import type { WholeWorkflow } from "./workflow";

/** `POST /workflows`. Throws Invalid, NotFound and Conflict. */
export async function createWorkflow(ctx: Context, input: CreateWorkflow): Promise<WholeWorkflow> {
  const id = newIdAt(ctx.now.getTime());
  const row = newWorkflow(ctx, {
    id,
    name: input.name,
    description: input.description || null,
    allowReentry: input.allowReentry ?? false,
    trigger: readTrigger(ctx, null, input),
  });
  return saveNew(ctx, { row, steps: [triggerStep(ctx, id)], transitions: [] });
}
