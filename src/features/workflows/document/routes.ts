import { publicId } from "../../../core/ids";
import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { issuesNow } from "../change";
import { documentConditions, documentParts, foreignNames } from "../names";
import { getWorkflow } from "../workflow";
import { documentJson, issuesByKey } from "./document";
import { documentStepShapes } from "./graph-schema";
import { stepsAreOccupied } from "./plan";
import { planDocument, replaceDocument } from "./replace";
import { DocumentPlan, PutDocument, PutQuery, SavedDocument, WorkflowDocument } from "./schema";

export const document = createRouter();
const tags = ["Workflows"];
for (const [name, shape] of documentStepShapes) document.openAPIRegistry.register(name, shape);

const get = createRoute({
  method: "get",
  path: "/workflows/{id}/document",
  operationId: "getWorkflowDocument",
  tags,
  summary: "Get a workflow as a document",
  description:
    "Returns the whole workflow with keys instead of ids, for a file next to your code. A PUT of it changes nothing. Steps " +
    "that were created by single calls have their id as their key.",
  request: { params: IdParam },
  responses: { ...ok(WorkflowDocument), ...errors(404) },
});

document.openapi(get, async (c) => {
  return c.json(documentJson(await getWorkflow(c.var.ctx, c.req.valid("param").id)), 200);
});

const put = createRoute({
  method: "put",
  path: "/workflows/{id}/document",
  operationId: "putWorkflowDocument",
  refusals: () => [stepsAreOccupied([{ key: "survey", count: 42 }])],
  foreignNames,
  partNames: documentParts,
  conditionNames: documentConditions,
  hasBrackets: true,
  tags,
  summary: "Replace a workflow with a document",
  description:
    "Everything changes together, or nothing does. A step with a known key remains the same step, so executions that wait " +
    "there continue. 409 while executions are at steps that the document no longer has, with their number, unless `moveTo` " +
    "or `force` says what happens to them. With `dryRun=true` the answer says what would change.\n\n" +
    "Fields that the document leaves out get the values of a new workflow; only `enabled`, positions and the TRIGGER stay.",
  request: { params: IdParam, query: PutQuery, ...body(PutDocument) },
  responses: {
    200: {
      description: "The saved document, or with `dryRun=true` what would change.",
      content: {
        "application/json": { schema: SavedDocument.or(DocumentPlan), example: SavedDocument.meta()?.example },
      },
    },
    ...errors(400, 403, 404, 409, 413, 422),
  },
});

document.openapi(put, async (c) => {
  const { ctx } = c.var;
  const { id } = c.req.valid("param");
  const { dryRun, moveTo, force } = c.req.valid("query");
  const leaving = { moveTo, isForced: force === "true" };
  if (dryRun === "true") return c.json(await planDocument(ctx, id, c.req.valid("json"), leaving), 200);
  const { workflow, jobId } = await replaceDocument(ctx, id, c.req.valid("json"), leaving);
  const issues = issuesByKey(workflow, await issuesNow(ctx, workflow));
  const job = jobId === null ? {} : { jobId: publicId(jobId) };
  return c.json({ ...documentJson(workflow), issues, ...job }, 200);
});
