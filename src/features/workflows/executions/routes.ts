import { z } from "zod";
import { readId } from "../../../core/ids";
import { executionJson, wholeExecutionJson } from "../../../engine/workflows/execution-json";
import { body, created, createRoute, errors, ok } from "../../../http/define";
import { IdParam, PageQuery, pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
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

export const executions = createRouter();
const tags = ["Workflows"];

const ExecutionParam = z.object({ id: pathId("id"), executionId: pathId("executionId") });

const start = createRoute({
  method: "post",
  path: "/workflows/{id}/executions",
  policy: { once: true },
  operationId: "startWorkflowExecution",
  refusals: () => [reentryRefused(readId("0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10"), false)],
  tags,
  summary: "Start a workflow for a contact",
  description:
    "Also works if the workflow is disabled, so that you can try a draft. 409 if the contact may not enter again.",
  foreignNames: foreignNamesOfExecution,
  request: { params: IdParam, ...body(StartExecution) },
  responses: { ...created(Execution), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

executions.openapi(start, async (c) => {
  const started = await startExecution(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(executionJson(started), 201);
});

const ExecutionQuery = PageQuery.extend({
  status: ExecutionStatus.optional(),
  contactId: z.string().transform(readId).optional().meta({ type: "string" }),
});

const list = createRoute({
  method: "get",
  path: "/workflows/{id}/executions",
  operationId: "listWorkflowExecutions",
  tags,
  summary: "List the executions of a workflow, newest first",
  request: { params: IdParam, query: ExecutionQuery },
  responses: { ...ok(ExecutionPage), ...errors(404, 422) },
});

executions.openapi(list, async (c) => {
  const asked = c.req.valid("query");
  const { page, pageSize } = asked;
  const { executions: found, total } = await listExecutions(c.var.ctx, c.req.valid("param").id, asked);
  const totalPages = Math.ceil(total / pageSize);
  return c.json({ data: found.map(executionJson), total, page, pageSize, totalPages }, 200);
});

const get = createRoute({
  method: "get",
  path: "/workflows/{id}/executions/{executionId}",
  operationId: "getWorkflowExecution",
  tags,
  summary: "Get an execution, with the steps that it came to",
  request: { params: ExecutionParam },
  responses: { ...ok(WholeExecution), ...errors(404) },
});

executions.openapi(get, async (c) => {
  const { id, executionId } = c.req.valid("param");
  return c.json(wholeExecutionJson(await getExecution(c.var.ctx, id, executionId)), 200);
});

const explain = createRoute({
  method: "get",
  path: "/workflows/{id}/executions/{executionId}/explain",
  operationId: "explainWorkflowExecution",
  tags,
  summary: "Explain the path of an execution",
  description:
    "Returns each step that the execution came to, its outcome, why it took its branch, and when it continued.",
  request: { params: ExecutionParam },
  responses: { ...ok(ExecutionPath), ...errors(404) },
});

executions.openapi(explain, async (c) => {
  const { id, executionId } = c.req.valid("param");
  return c.json(await explainExecution(c.var.ctx, id, executionId), 200);
});

const cancel = createRoute({
  method: "delete",
  path: "/workflows/{id}/executions/{executionId}",
  operationId: "cancelWorkflowExecution",
  refusals: () => [executionOver("COMPLETED")],
  tags,
  summary: "Cancel an execution",
  description: "Ends it at its current step, as CANCELLED. 409 if it is already over.",
  request: { params: ExecutionParam },
  responses: { ...ok(Execution), ...errors(403, 404, 409) },
});

executions.openapi(cancel, async (c) => {
  const { id, executionId } = c.req.valid("param");
  return c.json(executionJson(await cancelExecution(c.var.ctx, id, executionId)), 200);
});

const cancelAll = createRoute({
  method: "post",
  path: "/workflows/{id}/executions/cancel-all",
  operationId: "cancelAllWorkflowExecutions",
  tags,
  summary: "Cancel all active executions of a workflow",
  request: { params: IdParam },
  responses: { ...ok(CancelledExecutions), ...errors(403, 404) },
});

executions.openapi(cancelAll, async (c) => {
  return c.json({ cancelled: await cancelAllExecutions(c.var.ctx, c.req.valid("param").id) }, 200);
});
