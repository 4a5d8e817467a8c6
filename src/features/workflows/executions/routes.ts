import { z } from "zod";
import { readId } from "../../../core/ids";
import { executionJson, wholeExecutionJson } from "../../../engine/workflows/execution-json";
import { IdParam, PageQuery, pathId } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { cancelAllExecutions, cancelExecution, executionOver } from "./cancel";
import { getExecution } from "./execution";
import { explainExecution } from "./explain";
import { foreignNamesOfExecution } from "./foreign-names";
import { listExecutions } from "./list";
import { ExecutionPath } from "./path";
import {
  CancelledExecutions,
  Execution,
  ExecutionPage,
  ExecutionStatus,
  StartExecution,
  WholeExecution,
} from "./schema";
import { reentryRefused, startExecution } from "./start";

export const executions = projectRoutes("Workflows");

const ExecutionParam = z.object({ id: pathId("id"), executionId: pathId("executionId") });

executions.post(
  "/workflows/{id}/executions",
  {
    id: "startWorkflowExecution",
    sends: true,
    summary: "Start a workflow for a contact",
    description:
      "Also works while the workflow is disabled, so that you can try a draft. 409 if the contact may not " +
      "enter again.",
    once: true,
    params: IdParam,
    body: StartExecution,
    created: Execution,
    refusals: () => [reentryRefused(readId("0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10"), false)],
    foreignNames: foreignNamesOfExecution,
  },
  async (ctx, { params, body }) => executionJson(await startExecution(ctx, params.id, body)),
);

const ExecutionQuery = PageQuery.extend({
  status: ExecutionStatus.optional(),
  contactId: z.string().transform(readId).optional().meta({ type: "string" }),
  stepId: z.string().transform(readId).optional().meta({
    type: "string",
    description: "The id of the step that the executions are at, or ended at.",
  }),
});

executions.get(
  "/workflows/{id}/executions",
  {
    id: "listWorkflowExecutions",
    summary: "List the executions of a workflow, newest first",
    params: IdParam,
    query: ExecutionQuery,
    ok: ExecutionPage,
  },
  async (ctx, { params, query }) => {
    const { page, pageSize } = query;
    const { executions: found, total, isPartial } = await listExecutions(ctx, params.id, query);
    const totalPages = Math.ceil(total / pageSize);
    const partly = isPartial ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {};
    return { data: found.map(executionJson), total, page, pageSize, totalPages, ...partly };
  },
);

executions.get(
  "/workflows/{id}/executions/{executionId}",
  {
    id: "getWorkflowExecution",
    summary: "Get an execution, with the steps that it reached",
    params: ExecutionParam,
    ok: WholeExecution,
  },
  async (ctx, { params }) => wholeExecutionJson(await getExecution(ctx, params.id, params.executionId)),
);

executions.get(
  "/workflows/{id}/executions/{executionId}/explain",
  {
    id: "explainWorkflowExecution",
    summary: "Explain the path of an execution",
    description:
      "Returns each step that the execution reached, its outcome, why it took its branch, and when it continued.",
    params: ExecutionParam,
    ok: ExecutionPath,
  },
  (ctx, { params }) => explainExecution(ctx, params.id, params.executionId),
);

executions.delete(
  "/workflows/{id}/executions/{executionId}",
  {
    id: "cancelWorkflowExecution",
    summary: "Cancel an execution",
    description: "Ends the execution at its current step, as CANCELLED. 409 if it has already ended.",
    params: ExecutionParam,
    ok: Execution,
    refusals: () => [executionOver("COMPLETED")],
  },
  async (ctx, { params }) => executionJson(await cancelExecution(ctx, params.id, params.executionId)),
);

executions.post(
  "/workflows/{id}/executions/cancel-all",
  {
    id: "cancelAllWorkflowExecutions",
    grows: false,
    summary: "Cancel all active executions of a workflow",
    params: IdParam,
    ok: CancelledExecutions,
  },
  async (ctx, { params }) => ({ cancelled: await cancelAllExecutions(ctx, params.id) }),
);
