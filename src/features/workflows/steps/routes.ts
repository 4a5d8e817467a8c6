import { z } from "zod";
import { tooMany } from "../../../core/workflows/size";
import { IdParam, pathId } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { conditionNames, stepParts as partNames } from "../names";
import { stepJson } from "../workflow";
import { createStep } from "./create";
import { deleteStep, noOneSuccessor } from "./delete";
import { foreignNamesOfStep } from "./foreign-names";
import { CreateStep, Step, stepShapes, UpdateStep } from "./schema";
import { stepIsOccupied } from "./standing";
import { updateStep } from "./update";

export const steps = projectRoutes("Workflows", { schemas: stepShapes });
const StepParams = z.object({ id: pathId("id"), stepId: pathId("stepId") });

steps.post(
  "/workflows/{id}/steps",
  {
    id: "createWorkflowStep",
    isAudited: true,
    summary: "Add a step to a workflow",
    description:
      "With `connectFrom`, also adds a transition from that step to the new one. A workflow has at most " +
      "100 steps. Everything that a step names must exist: its template, and the segments and topics of a " +
      "condition.",
    params: IdParam,
    body: CreateStep,
    created: Step,
    refusals: () => [tooMany("steps")],
    foreignNames: foreignNamesOfStep,
    partNames,
    conditionNames,
  },
  async (ctx, { params, body }) => stepJson(await createStep(ctx, params.id, body)),
);

steps.patch(
  "/workflows/{id}/steps/{stepId}",
  {
    id: "updateWorkflowStep",
    isAudited: true,
    isVersioned: true,
    summary: "Change a step",
    description:
      "Changes only the fields that you send; `config` is replaced whole. Executions follow the new " +
      "config, except for values that are fixed when they reach the step: the end of a delay, the awaited " +
      "event and its timeout. A change of branches is a 409 while executions are at the step, and a 422 " +
      "while a branch that it removes has a transition.",
    params: StepParams,
    body: UpdateStep,
    ok: Step,
    refusals: () => [stepIsOccupied()],
    foreignNames: foreignNamesOfStep,
    partNames,
    conditionNames,
  },
  async (ctx, { params, body }) => {
    const step = await updateStep(ctx, { workflowId: params.id, stepId: params.stepId }, body);
    return stepJson(step);
  },
);

steps.delete(
  "/workflows/{id}/steps/{stepId}",
  {
    id: "deleteWorkflowStep",
    isAudited: true,
    summary: "Delete a step",
    description:
      "Deletes the step and its transitions; the steps after it stay. 409 for the TRIGGER, while " +
      "executions are at the step, and for `splice` on a step with several successors, such as a CONDITION.",
    params: StepParams,
    query: z.object({
      splice: z
        .enum(["true", "false"])
        .optional()
        .meta({ description: "Whether to connect the steps before the deleted one to the step after it." }),
    }),
    refusals: () => [noOneSuccessor()],
  },
  (ctx, { params, query }) =>
    deleteStep(ctx, { workflowId: params.id, stepId: params.stepId, isSpliced: query.splice === "true" }),
);
