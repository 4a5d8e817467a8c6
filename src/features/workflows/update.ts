import type { Id } from "../../core/ids";
import type { Context } from "../../platform/context";
import { changeWorkflow } from "./change";
import type { UpdateWorkflow } from "./schema";
import { guardTrigger, nextTickOf, readTrigger, triggerColumns } from "./trigger";
import { rulesOf, type WholeWorkflow } from "./workflow";

/** Implements `PATCH /workflows/{id}`: changes only the fields sent. Active executions continue. */
export async function updateWorkflow(ctx: Context, id: Id, change: UpdateWorkflow): Promise<WholeWorkflow> {
  return changeWorkflow(ctx, id, (before) => {
    const { row } = before;
    const trigger = readTrigger(ctx, rulesOf(before).trigger, change);
    const enabled = change.enabled ?? row.enabled;
    const after = {
      ...row,
      name: change.name ?? row.name,
      description: change.description === undefined ? row.description : change.description || null,
      allowReentry: change.allowReentry ?? row.allowReentry,
      enabled,
      ...triggerColumns(trigger),
      nextTickAt: nextTickOf(ctx, row, enabled, trigger),
    };
    const isSame = JSON.stringify(after) === JSON.stringify(row);
    return isSame ? null : { after: { ...before, row: after }, guards: guardTrigger(ctx, trigger) };
  });
}
