import { publicId } from "../../../core/ids";
import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { issuesNow } from "../change";
import { enables } from "../enables";
import { documentConditions, documentParts, foreignNames } from "../names";
import { getWorkflow } from "../workflow";
import { documentJson, issuesByKey } from "./document";
import { documentStepShapes } from "./graph-schema";
import { stepsAreOccupied } from "./plan";
import { planDocument, replaceDocument } from "./replace";
import { DocumentPlan, PutDocument, PutQuery, SavedDocument, WorkflowDocument } from "./schema";

export const document = projectRoutes("Workflows", { schemas: documentStepShapes });

document.get(
  "/workflows/{id}/document",
  {
    id: "getWorkflowDocument",
    summary: "Get a workflow as a document",
    description:
      "Returns the whole workflow with keys instead of ids, so that you can keep it in a file next to your " +
      "code. A PUT of an unchanged document changes nothing. Steps that were created by single calls have " +
      "their id as their key.",
    params: IdParam,
    ok: WorkflowDocument,
  },
  async (ctx, { params }) => documentJson(await getWorkflow(ctx, params.id)),
);

document.put(
  "/workflows/{id}/document",
  {
    id: "putWorkflowDocument",
    isAudited: true,
    grows: true,
    isVersioned: true,
    sends: enables,
    summary: "Replace a workflow with a document",
    description:
      "Changes everything or nothing. A step with a known key remains the same step, so executions that " +
      "wait there continue. 409 while executions are at steps that the document no longer has, unless " +
      "`moveTo` or `force` says what happens to them; the error says how many there are. With " +
      "`dryRun=true`, the answer says what would change.\n\nFields that the document leaves out get the " +
      "values of a new workflow, except that `enabled`, positions and the TRIGGER stay.",
    params: IdParam,
    query: PutQuery,
    body: PutDocument,
    ok: {
      schema: SavedDocument.or(DocumentPlan),
      description: "The saved document or, with `dryRun=true`, what would change.",
      example: SavedDocument.meta()?.example,
    },
    refusals: () => [stepsAreOccupied([{ key: "survey", count: 42 }])],
    foreignNames,
    partNames: documentParts,
    conditionNames: documentConditions,
    hasBrackets: true,
  },
  async (ctx, { params, query, body }) => {
    const { dryRun, moveTo, force } = query;
    const leaving = { moveTo, isForced: force === "true" };
    if (dryRun === "true") return planDocument(ctx, params.id, body, leaving);
    const { workflow, jobId } = await replaceDocument(ctx, params.id, body, leaving);
    const issues = issuesByKey(workflow, await issuesNow(ctx, workflow));
    const job = jobId === null ? {} : { jobId: publicId(jobId) };
    return { ...documentJson(workflow), issues, ...job };
  },
);
