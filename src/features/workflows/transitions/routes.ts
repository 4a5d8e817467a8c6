import { z } from "zod";
import { tooMany } from "../../../core/workflows/size";
import { body, created, createRoute, errors, noContent } from "../../../http/define";
import { IdParam, pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { transitionJson } from "../workflow";
import { createTransition } from "./create";
import { deleteTransition } from "./delete";
import { CreateTransition, Transition } from "./schema";

export const transitions = createRouter();
const tags = ["Workflows"];

const create = createRoute({
  method: "post",
  path: "/workflows/{id}/transitions",
  operationId: "createWorkflowTransition",
  refusals: () => [tooMany("transitions", 200)],
  partNames: { condition: ["branch"] },
  tags,
  summary: "Draw a transition between two steps",
  description:
    "422 for a transition from a step to itself, in a circle, out of EXIT or into TRIGGER; for a branch that is drawn already " +
    "or that the step does not have; and for a second one out of a step without branches. A workflow has at most 200.",
  request: { params: IdParam, ...body(CreateTransition) },
  responses: { ...created(Transition), ...errors(400, 403, 404, 409, 413, 422) },
});

transitions.openapi(create, async (c) => {
  const drawn = await createTransition(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(transitionJson(drawn), 201);
});

const remove = createRoute({
  method: "delete",
  path: "/workflows/{id}/transitions/{transitionId}",
  operationId: "deleteWorkflowTransition",
  tags,
  summary: "Delete a transition",
  description: "Executions follow the graph as it is now: one that leaves a step without a transition is COMPLETED.",
  request: { params: z.object({ id: pathId("id"), transitionId: pathId("transitionId") }) },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

transitions.openapi(remove, async (c) => {
  const { id, transitionId } = c.req.valid("param");
  await deleteTransition(c.var.ctx, { workflowId: id, transitionId });
  return c.body(null, 204);
});
