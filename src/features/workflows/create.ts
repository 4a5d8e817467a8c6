import { Invalid } from "../../core/errors";
import { newIdAt } from "../../core/ids";
import { untilFresh } from "../../db/fresh";
import type { Statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { type DocumentPlan, planOf } from "./document/plan";
import { readGraph } from "./document/read";
import { triggerStep } from "./graph-rows";
import { newWorkflow, saveNew, tryNew } from "./insert";
import type { CreateWorkflow } from "./schema";
import { readTrigger } from "./trigger";
import type { WholeWorkflow } from "./workflow";

/**
 * Implements `POST /workflows`. A workflow with steps is created whole, in one batch. Throws Invalid, NotFound and
 * Conflict.
 */
export async function createWorkflow(ctx: Context, input: CreateWorkflow): Promise<WholeWorkflow> {
  requireSteps(input);
  warnOfIgnored(ctx, input);
  return untilFresh(async () => {
    const { made, guards } = await readNew(ctx, input);
    return saveNew(ctx, made, guards);
  }, ctx.random);
}

/**
 * Implements `POST /workflows?dryRun=true`: returns what would be created. Throws the same errors as the call itself.
 */
export async function planWorkflow(ctx: Context, input: CreateWorkflow): Promise<DocumentPlan> {
  requireSteps(input);
  warnOfIgnored(ctx, input);
  return untilFresh(async () => {
    const { made, guards } = await readNew(ctx, input);
    return planOf(ctx, null, await tryNew(ctx, made, guards));
  }, ctx.random);
}

async function readNew(ctx: Context, input: CreateWorkflow): Promise<{ made: WholeWorkflow; guards: Statement[] }> {
  const id = newIdAt(ctx.now.getTime());
  const row = newWorkflow(ctx, {
    id,
    name: input.name,
    description: input.description || null,
    allowReentry: input.allowReentry ?? false,
    enabled: (input.steps && input.enabled) ?? false,
    trigger: readTrigger(ctx, null, input),
  });
  if (!input.steps) return { made: { row, steps: [triggerStep(ctx, id)], transitions: [] }, guards: [] };
  const sent = { steps: input.steps, transitions: input.transitions ?? [] };
  const { guards, ...graph } = await readGraph(ctx, id, { steps: [], transitions: [] }, sent);
  return { made: { row, ...graph }, guards };
}

/** Transitions without steps would be dropped silently, so they are refused. */
function requireSteps({ steps, transitions }: CreateWorkflow): void {
  if (steps || !transitions?.length) return;
  const message = "Transitions connect steps: send steps with them, each with a key";
  throw new Invalid([{ field: "transitions", code: "custom", message }]);
}

function warnOfIgnored(ctx: Context, { steps, enabled }: CreateWorkflow): void {
  if (steps || enabled === undefined || enabled === null) return;
  ctx.warnings.push({
    field: "enabled",
    message: "Ignored without steps: the workflow is created disabled, with only its TRIGGER.",
  });
}
