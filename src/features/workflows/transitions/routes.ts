import { z } from "zod";
import { tooMany } from "../../../core/workflows/size";
import { IdParam, pathId } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { transitionJson } from "../workflow";
import { createTransition } from "./create";
import { deleteTransition } from "./delete";
import { CreateTransition, Transition } from "./schema";

export const transitions = projectRoutes("Workflows");

transitions.post(
  "/workflows/{id}/transitions",
  {
    id: "createWorkflowTransition",
    isAudited: true,
    summary: "Draw a transition between two steps",
    description:
      "422 for a transition from a step to itself, that closes a loop, out of EXIT or into TRIGGER; for a " +
      "branch that the step does not have or that already has a transition; and for a second transition " +
      "out of a step without branches. A workflow has at most 200 transitions.",
    params: IdParam,
    body: CreateTransition,
    created: Transition,
    refusals: () => [tooMany("transitions", 200)],
    partNames: { condition: ["branch"] },
  },
  async (ctx, { params, body }) => transitionJson(await createTransition(ctx, params.id, body)),
);

transitions.delete(
  "/workflows/{id}/transitions/{transitionId}",
  {
    id: "deleteWorkflowTransition",
    isAudited: true,
    summary: "Delete a transition",
    description: "Executions follow the current graph: one that leaves a step without a transition is COMPLETED.",
    params: z.object({ id: pathId("id"), transitionId: pathId("transitionId") }),
    also: [409],
  },
  (ctx, { params }) => deleteTransition(ctx, { workflowId: params.id, transitionId: params.transitionId }),
);
