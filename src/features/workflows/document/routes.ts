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
    "The whole workflow by keys, without ids: for a file beside your code. A PUT of it changes nothing. Steps that single " +
    "calls have made have their id as their key.",
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
  summary: "Replace a workflow by a document",
  description:
    "All of it changes in one step, or nothing does. A step whose key is known stays itself, so executions that wait there " +
    "go on. While executions stand on steps that the document no longer has, it is 409 with their number, unless `moveTo` " +
    "or `force` says what becomes of them. With `dryRun=true` it answers what would change.\n\n" +
    "What the document leaves out is as in a new workflow; only `enabled`, positions and the TRIGGER stay as they are.",
  request: { params: IdParam, query: PutQuery, ...body(PutDocument) },
  responses: {
    200: {
      description: "Done, or with `dryRun=true` what would be done.",
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
