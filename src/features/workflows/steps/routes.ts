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
      "With `connectFrom` that step leads to the new one. A workflow has at most 100 steps. Everything that a step names must " +
      "exist: its template, and the segments and topics of a condition.",
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
      "Only the fields sent change; a config is replaced whole. Executions follow the new config, except for values that are " +
      "fixed when they reach the step: the end of a delay, the awaited event, its timeout. A change of branches is 409 " +
      "while executions are at the step, and 422 while a lost branch is drawn.",
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
      "Its transitions are deleted with it, and the steps after it stay. 409 for TRIGGER, while executions are at the step, " +
      "and for a splice of a step with several successors, such as a CONDITION.",
    params: StepParams,
    query: z.object({
      splice: z
        .enum(["true", "false"])
        .optional()
        .meta({ description: "Joins the steps before it to the step after it." }),
    }),
    refusals: () => [noOneSuccessor()],
  },
  (ctx, { params, query }) =>
    deleteStep(ctx, { workflowId: params.id, stepId: params.stepId, isSpliced: query.splice === "true" }),
);
