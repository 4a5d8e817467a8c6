import { z } from "zod";
import { tooMany } from "../../../core/workflows/size";
import { body, created, createRoute, errors, noContent, ok } from "../../../http/define";
import { IdParam, pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { conditionNames, stepParts as partNames } from "../names";
import { stepJson } from "../workflow";
import { createStep } from "./create";
import { deleteStep, noOneSuccessor } from "./delete";
import { foreignNamesOfStep } from "./foreign-names";
import { CreateStep, Step, stepShapes, UpdateStep } from "./schema";
import { stepIsOccupied } from "./standing";
import { updateStep } from "./update";

export const steps = createRouter();
const tags = ["Workflows"];
for (const [name, shape] of stepShapes) steps.openAPIRegistry.register(name, shape);
const StepParams = z.object({ id: pathId("id"), stepId: pathId("stepId") });

const create = createRoute({
  method: "post",
  path: "/workflows/{id}/steps",
  operationId: "createWorkflowStep",
  refusals: () => [tooMany("steps")],
  partNames,
  conditionNames,
  foreignNames: foreignNamesOfStep,
  tags,
  summary: "Add a step to a workflow",
  description:
    "With `connectFrom` that step leads to the new one. A workflow has at most 100 steps. Everything that a step names must " +
    "exist: its template, and the segments and topics of a condition.",
  request: { params: IdParam, ...body(CreateStep) },
  responses: { ...created(Step), ...errors(400, 403, 404, 409, 413, 422) },
});

steps.openapi(create, async (c) => {
  const step = await createStep(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(stepJson(step), 201);
});

const update = createRoute({
  method: "patch",
  path: "/workflows/{id}/steps/{stepId}",
  operationId: "updateWorkflowStep",
  refusals: () => [stepIsOccupied()],
  partNames,
  conditionNames,
  foreignNames: foreignNamesOfStep,
  tags,
  summary: "Change a step",
  description:
    "Only the fields sent change; a config is replaced whole. Executions follow the new config, except for values that are " +
    "fixed when they come to the step: the end of a delay, the awaited event, its timeout. A change of branches is 409 " +
    "while executions are at the step, and 422 while a lost branch is drawn.",
  request: { params: StepParams, ...body(UpdateStep) },
  responses: { ...ok(Step), ...errors(400, 403, 404, 409, 413, 422) },
});

steps.openapi(update, async (c) => {
  const { id, stepId } = c.req.valid("param");
  const step = await updateStep(c.var.ctx, { workflowId: id, stepId }, c.req.valid("json"));
  return c.json(stepJson(step), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/workflows/{id}/steps/{stepId}",
  operationId: "deleteWorkflowStep",
  refusals: () => [noOneSuccessor()],
  tags,
  summary: "Delete a step",
  description:
    "Its transitions are deleted with it, and the steps after it stay. 409 for TRIGGER, while executions are at the step, " +
    "and for a splice of a step with several successors, such as a CONDITION.",
  request: {
    params: StepParams,
    query: z.object({
      splice: z
        .enum(["true", "false"])
        .optional()
        .meta({ description: "Joins the steps before it to the step after it." }),
    }),
  },
  responses: { ...noContent, ...errors(403, 404, 409, 422) },
});

steps.openapi(remove, async (c) => {
  const { id, stepId } = c.req.valid("param");
  await deleteStep(c.var.ctx, { workflowId: id, stepId, isSpliced: c.req.valid("query").splice === "true" });
  return c.body(null, 204);
});
