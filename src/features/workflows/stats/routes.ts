import { z } from "zod";
import { createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { workflowDiagram } from "../diagram";
import { WorkflowStats } from "./schema";
import { workflowStats } from "./stats";

export const workflowFigures = createRouter();
const tags = ["Workflows"];

const stats = createRoute({
  method: "get",
  path: "/workflows/{id}/stats",
  operationId: "getWorkflowStats",
  tags,
  summary: "Count the executions of a workflow, step by step",
  description:
    "Counts all executions there ever were, including those that are no longer stored, in total and by branch, and the " +
    "emails of SEND_EMAIL steps.",
  request: { params: IdParam },
  responses: { ...ok(WorkflowStats), ...errors(404) },
});

workflowFigures.openapi(stats, async (c) => c.json(await workflowStats(c.var.ctx, c.req.valid("param").id), 200));

const diagram = createRoute({
  method: "get",
  path: "/workflows/{id}/diagram",
  operationId: "drawWorkflow",
  tags,
  summary: "Draw a workflow",
  description:
    "Returns Mermaid text, which GitHub, GitLab and many editors show as a picture. Each step shows what it does, how many " +
    "executions came to it and how many wait there; each branch shows how many took it.",
  request: { params: IdParam },
  responses: {
    200: {
      description: "A Mermaid flowchart.",
      content: {
        "text/plain": { schema: z.string(), example: 'flowchart TD\n  s0(["TRIGGER<br>on signup<br>12 entered"])\n' },
      },
    },
    ...errors(404),
  },
});

workflowFigures.openapi(diagram, async (c) => c.text(await workflowDiagram(c.var.ctx, c.req.valid("param").id), 200));
