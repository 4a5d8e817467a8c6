import { z } from "zod";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { IdParam, PageQuery } from "../../http/params";
import { createRouter } from "../../http/router";
import { issuesNow, tooManyListeners } from "./change";
import { createWorkflow, planWorkflow } from "./create";
import { deleteWorkflow, workflowIsActive } from "./delete";
import { document } from "./document/routes";
import { DocumentPlan, DryRun } from "./document/schema";
import { duplicateWorkflow } from "./duplicate";
import { listWorkflowFields } from "./fields/list";
import { FieldsQuery, WorkflowFields } from "./fields/schema";
import { tooManyWorkflows } from "./insert";
import { listWorkflows } from "./list";
import { documentConditions, documentParts, foreignNames, foreignNamesOfUpdate, triggerNames } from "./names";
import { CreateWorkflow, UpdateWorkflow, WholeWorkflow, Workflow, WorkflowPage } from "./schema";
import { steps } from "./steps/routes";
import { transitions } from "./transitions/routes";
import { updateWorkflow } from "./update";
import { getWorkflow, wholeWorkflowJson, workflowJson } from "./workflow";

export const workflows = createRouter();
const tags = ["Workflows"];

const list = createRoute({
  method: "get",
  path: "/workflows",
  operationId: "listWorkflows",
  tags,
  summary: "List the workflows, newest first",
  request: {
    query: PageQuery.extend({
      search: z.string().optional().meta({ description: "Matches the name and the description, ignoring case." }),
      status: z.enum(["enabled", "disabled"]).optional(),
    }),
  },
  responses: { ...ok(WorkflowPage), ...errors(422) },
});

workflows.openapi(list, async (c) => {
  const { ctx } = c.var;
  const { page, pageSize, ...query } = c.req.valid("query");
  const { rows, total } = await listWorkflows(ctx, { page, pageSize, ...query });
  const data = rows.map((row) => workflowJson(ctx.project, row));
  return c.json({ data, total, page, pageSize, totalPages: Math.ceil(total / pageSize) }, 200);
});

// Registered before the routes of a single workflow, so that `fields` is not read as an id.
const fields = createRoute({
  method: "get",
  path: "/workflows/fields",
  operationId: "listWorkflowFields",
  tags,
  summary: "List the fields that a CONDITION can use",
  description:
    "Returns the fields of contacts, and those in the data of recorded events. A field of the context is `context.<key>`, " +
    "and one in the output of a step is `steps.<name>.<key>`.",
  request: { query: FieldsQuery },
  responses: { ...ok(WorkflowFields), ...errors(422) },
});

workflows.openapi(fields, async (c) => {
  return c.json({ fields: await listWorkflowFields(c.var.ctx, c.req.valid("query").eventName) }, 200);
});

const create = createRoute({
  method: "post",
  path: "/workflows",
  operationId: "createWorkflow",
  refusals: () => [tooManyWorkflows()],
  foreignNames,
  partNames: documentParts,
  conditionNames: documentConditions,
  hasBrackets: true,
  tags,
  summary: "Create a workflow",
  description:
    "With `steps` and `transitions` it is created whole, or not at all. Steps have your own keys, which transitions name; each " +
    "fault names its field, such as `steps[3].config.amount`. GET and PUT `/workflows/{id}/document` read and replace it.\n\n" +
    "Without `steps` it is created disabled, with only its TRIGGER. Add steps and transitions, try it by starting an " +
    "execution by hand, and enable it with PATCH. A project has at most 1,000 workflows.",
  request: { ...body(CreateWorkflow), query: DryRun },
  responses: {
    ...ok(DocumentPlan, "What would be created, with `dryRun=true`."),
    ...created(WholeWorkflow),
    ...errors(400, 403, 404, 409, 413, 422),
  },
});

workflows.openapi(create, async (c) => {
  const { ctx } = c.var;
  const sent = c.req.valid("json");
  if (c.req.valid("query").dryRun === "true") return c.json(await planWorkflow(ctx, sent), 200);
  return c.json(wholeWorkflowJson(ctx.project, await createWorkflow(ctx, sent)), 201);
});

const get = createRoute({
  method: "get",
  path: "/workflows/{id}",
  operationId: "getWorkflow",
  tags,
  summary: "Get a workflow with its steps and transitions",
  request: { params: IdParam },
  responses: { ...ok(WholeWorkflow), ...errors(404) },
});

workflows.openapi(get, async (c) => {
  const { ctx } = c.var;
  const workflow = await getWorkflow(ctx, c.req.valid("param").id);
  const issues = await issuesNow(ctx, workflow);
  return c.json({ ...wholeWorkflowJson(ctx.project, workflow), issues }, 200);
});

const update = createRoute({
  method: "patch",
  path: "/workflows/{id}",
  operationId: "updateWorkflow",
  refusals: () => [tooManyListeners("signup")],
  foreignNames: foreignNamesOfUpdate,
  partNames: triggerNames,
  tags,
  summary: "Change a workflow, enable or disable it",
  description:
    "Only the fields sent change, also within `triggerConfig`; a new `triggerType` starts with an empty one. A workflow with " +
    "issues can be enabled; the answer lists them. Disabling it stops new executions, while active ones continue. One event " +
    "can start at most 50 enabled workflows.",
  request: { params: IdParam, ...body(UpdateWorkflow) },
  responses: { ...ok(Workflow), ...errors(400, 403, 404, 409, 413, 422) },
});

workflows.openapi(update, async (c) => {
  const { ctx } = c.var;
  const { row } = await updateWorkflow(ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(workflowJson(ctx.project, row), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/workflows/{id}",
  operationId: "deleteWorkflow",
  refusals: () => [workflowIsActive()],
  tags,
  summary: "Delete a workflow",
  description: "409 while it has active executions.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

workflows.openapi(remove, async (c) => {
  await deleteWorkflow(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const duplicate = createRoute({
  method: "post",
  path: "/workflows/{id}/duplicate",
  operationId: "duplicateWorkflow",
  refusals: () => [tooManyWorkflows()],
  tags,
  summary: "Copy a workflow",
  description: "The copy has the same steps and transitions, and is disabled.",
  request: { params: IdParam },
  responses: { ...created(WholeWorkflow), ...errors(403, 404, 409, 422) },
});

workflows.openapi(duplicate, async (c) => {
  const { ctx } = c.var;
  return c.json(wholeWorkflowJson(ctx.project, await duplicateWorkflow(ctx, c.req.valid("param").id)), 201);
});

workflows.route("/", document);
workflows.route("/", steps);
workflows.route("/", transitions);
