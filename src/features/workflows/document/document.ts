import { publicId, publicIdOrNull } from "../../../core/ids";
import { inOrder, keyOf, type WorkflowDocument } from "../../../core/workflows/document";
import type { Issue } from "../../../core/workflows/issues";
import { triggerOf } from "../../../engine/workflows/graph";
import type { WholeWorkflow } from "../workflow";

/** Returns the workflow as a document. The TRIGGER step is only included if a saved document has contained it. */
export function documentOf({ row, steps, transitions }: WholeWorkflow): WorkflowDocument {
  const keys = new Map(steps.map((step) => [step.id, keyOf(step)]));
  // Both ends of a transition are steps of its workflow, so every id has a key.
  const keyOfId = (id: (typeof steps)[number]["id"]) => keys.get(id) ?? publicId(id);
  return {
    name: row.name,
    description: row.description,
    ...triggerOf(row),
    allowReentry: row.allowReentry,
    enabled: row.enabled,
    steps: inOrder(steps.filter(({ type, key }) => type !== "TRIGGER" || key !== null)).map((step) => ({
      key: keyOf(step),
      type: step.type,
      name: step.name,
      config: step.config,
      templateId: publicIdOrNull(step.templateId),
      position: { x: step.x, y: step.y },
    })),
    transitions: inOrder(transitions).map(({ fromStepId, toStepId, branch, priority }) => ({
      from: keyOfId(fromStepId),
      to: keyOfId(toStepId),
      branch,
      priority,
    })),
  };
}

/** Returns the document with the version of the workflow, which a later PUT may name. */
export function documentJson(workflow: WholeWorkflow) {
  const document = documentOf(workflow);
  return { version: workflow.row.version, ...document, triggerConfig: { ...document.triggerConfig } };
}

/** Returns the issues of a workflow, with the key of each issue's step in place of its id. */
export function issuesByKey({ steps }: WholeWorkflow, issues: readonly Issue[]) {
  const keys = new Map(steps.map((step) => [publicId(step.id), keyOf(step)]));
  return issues.map(({ stepId, message }) => ({
    ...(stepId !== undefined && { key: keys.get(stepId) ?? stepId }),
    message,
  }));
}
