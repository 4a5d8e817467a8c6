import { z } from "zod";
import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { workflowDiagram } from "../diagram";
import { WorkflowStats } from "./schema";
import { workflowStats } from "./stats";

export const workflowFigures = projectRoutes("Workflows");

workflowFigures.get(
  "/workflows/{id}/stats",
  {
    id: "getWorkflowStats",
    summary: "Count the executions of a workflow, step by step",
    description:
      "Counts all executions that the workflow ever had, including those that are no longer stored, in " +
      "total and by branch, and the emails of its SEND_EMAIL steps.",
    params: IdParam,
    ok: WorkflowStats,
  },
  (ctx, { params }) => workflowStats(ctx, params.id),
);

workflowFigures.get(
  "/workflows/{id}/diagram",
  {
    id: "drawWorkflow",
    summary: "Draw a workflow",
    description:
      "Returns a Mermaid flowchart, which GitHub, GitLab and many editors show as a picture. Each step " +
      "shows what it does, how many executions reached it and how many wait there; each branch shows how " +
      "many took it.",
    params: IdParam,
    ok: {
      schema: z.string(),
      description: "A Mermaid flowchart.",
      example: 'flowchart TD\n  s0(["TRIGGER<br>on signup<br>12 entered"])\n',
      mediaType: "text/plain",
    },
  },
  async (ctx, { params }, c) => c.text(await workflowDiagram(ctx, params.id), 200),
);
