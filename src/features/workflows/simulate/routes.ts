import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { SimulateWorkflow, WorkflowSimulation } from "./schema";
import { simulateWorkflow } from "./simulate";

export const simulation = createRouter();

const simulate = createRoute({
  method: "post",
  path: "/workflows/{id}/simulate",
  operationId: "simulateWorkflow",
  policy: { isRead: true },
  partNames: { events: ["at", "after", "name", "data"] },
  tags: ["Workflows"],
  summary: "Simulate a workflow",
  description:
    "Returns the path that the contact would take, with every wait and email, by the same rules as real executions. " +
    "Nothing is sent, called or changed. Topics and segment memberships are the current ones, and a WEBHOOK counts as " +
    "answered with 200. Everything that a simulation renders shares the limit of one email. It also works in a disabled project.",
  request: { params: IdParam, ...body(SimulateWorkflow) },
  responses: { ...ok(WorkflowSimulation), ...errors(400, 404, 413, 422) },
});

simulation.openapi(simulate, async (c) => {
  return c.json(await simulateWorkflow(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200);
});
