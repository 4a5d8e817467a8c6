import { z } from "zod";
import { trashIsFull } from "../../engine/trash/put-away";
import { IdParam, PageQuery } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { issuesNow, tooManyListeners } from "./change";
import { createWorkflow, planWorkflow } from "./create";
import { deleteWorkflow, workflowIsActive } from "./delete";
import { document } from "./document/routes";
import { DocumentPlan, DryRun } from "./document/schema";
import { duplicateWorkflow } from "./duplicate";
import { enables } from "./enables";
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

export const workflows = projectRoutes("Workflows");

workflows.get(
  "/workflows",
  {
    id: "listWorkflows",
    summary: "List the workflows, newest first",
    query: PageQuery.extend({
      search: z
        .string()
        .optional()
        .meta({ description: "Text to find in the name or the description, ignoring case." }),
      status: z.enum(["enabled", "disabled"]).optional(),
    }),
    ok: WorkflowPage,
  },
  async (ctx, { query }) => {
    const { page, pageSize } = query;
    const { rows, total } = await listWorkflows(ctx, query);
    const data = rows.map((row) => workflowJson(ctx.project, row));
    return { data, total, page, pageSize, totalPages: Math.ceil(total / pageSize) };
  },
);

// Registered before the routes of a single workflow, so that `fields` is not read as an id.
workflows.get(
  "/workflows/fields",
  {
    id: "listWorkflowFields",
    summary: "List the fields that a CONDITION can use",
    description:
      "Returns the fields of contacts and those in the data of recorded events. A condition can also use " +
      "`context.<key>` from the context of the execution, and `steps.<name>.<key>` from the output of a " +
      "step.",
    query: FieldsQuery,
    ok: WorkflowFields,
  },
  async (ctx, { query }) => ({ fields: await listWorkflowFields(ctx, query.eventName) }),
);

workflows.post(
  "/workflows",
  {
    id: "createWorkflow",
    isAudited: true,
    sends: enables,
    summary: "Create a workflow",
    description:
      "With `steps` and `transitions`, creates the whole workflow or nothing. You choose the keys of the " +
      "steps, and transitions refer to them. Each fault names its field, such as `steps[3].config.amount`. " +
      "GET and PUT `/workflows/{id}/document` read and replace the whole workflow.\n\nWithout `steps`, " +
      "creates a disabled workflow with only its TRIGGER. Add steps and transitions, try the workflow by " +
      "starting an execution by hand, and enable it with PATCH. A project has at most 1,000 workflows.",
    body: CreateWorkflow,
    query: DryRun,
    ok: { schema: DocumentPlan, description: "With `dryRun=true`: what would be created." },
    created: WholeWorkflow,
    also: [404, 409],
    refusals: () => [tooManyWorkflows()],
    foreignNames,
    partNames: documentParts,
    conditionNames: documentConditions,
    hasBrackets: true,
  },
  async (ctx, { query, body }, c) => {
    if (query.dryRun === "true") return planWorkflow(ctx, body);
    return c.json(wholeWorkflowJson(ctx.project, await createWorkflow(ctx, body)), 201);
  },
);

workflows.get(
  "/workflows/{id}",
  { id: "getWorkflow", summary: "Get a workflow with its steps and transitions", params: IdParam, ok: WholeWorkflow },
  async (ctx, { params }) => {
    const workflow = await getWorkflow(ctx, params.id);
    const issues = await issuesNow(ctx, workflow);
    return { ...wholeWorkflowJson(ctx.project, workflow), issues };
  },
);

workflows.patch(
  "/workflows/{id}",
  {
    id: "updateWorkflow",
    isAudited: true,
    isVersioned: true,
    sends: enables,
    summary: "Change a workflow, enable or disable it",
    description:
      "Changes only the fields that you send, also within `triggerConfig`; with a new `triggerType`, " +
      "`triggerConfig` starts empty. You can enable a workflow with issues; the answer lists them. " +
      "Disabling a workflow stops new executions, while active ones continue. One event can start at most " +
      "50 enabled workflows.",
    params: IdParam,
    body: UpdateWorkflow,
    ok: Workflow,
    refusals: () => [tooManyListeners("signup")],
    foreignNames: foreignNamesOfUpdate,
    partNames: triggerNames,
  },
  async (ctx, { params, body }) => {
    const { row } = await updateWorkflow(ctx, params.id, body);
    return workflowJson(ctx.project, row);
  },
);

workflows.delete(
  "/workflows/{id}",
  {
    id: "deleteWorkflow",
    isAudited: true,
    summary: "Delete a workflow",
    description: "409 while the workflow has active executions.",
    params: IdParam,
    refusals: () => [workflowIsActive(), trashIsFull()],
  },
  (ctx, { params }) => deleteWorkflow(ctx, params.id),
);

workflows.post(
  "/workflows/{id}/duplicate",
  {
    id: "duplicateWorkflow",
    isAudited: true,
    summary: "Copy a workflow",
    description: "The copy has the same steps and transitions, and starts disabled.",
    params: IdParam,
    created: WholeWorkflow,
    also: [409],
    refusals: () => [tooManyWorkflows()],
  },
  async (ctx, { params }) => wholeWorkflowJson(ctx.project, await duplicateWorkflow(ctx, params.id)),
);

workflows.router.route("/", document.router);
workflows.router.route("/", steps.router);
workflows.router.route("/", transitions.router);
