import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { SimulateWorkflow, WorkflowSimulation } from "./schema";
import { simulateWorkflow } from "./simulate";

export const simulation = projectRoutes("Workflows");

simulation.post(
  "/workflows/{id}/simulate",
  {
    id: "simulateWorkflow",
    summary: "Simulate a workflow",
    description:
      "Returns the path that the contact would take, with every wait and email, by the same rules as real " +
      "executions. Nothing is sent, called or changed. The simulation uses the current topics and segment " +
      "memberships, and treats each WEBHOOK call as answered with 200. All texts that it renders share the " +
      "rendering limit of one email. Also works in a disabled project.",
    isRead: true,
    params: IdParam,
    body: SimulateWorkflow,
    ok: WorkflowSimulation,
    partNames: { events: ["at", "after", "name", "data"] },
  },
  (ctx, { params, body }) => simulateWorkflow(ctx, params.id, body),
);
