import { publicId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { accepted, body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { legacyBadRequest, legacyRequired, required } from "../../http/legacy";
import { IdParam, PageQuery } from "../../http/params";
import { createRouter } from "../../http/router";
import { QueuedJob } from "../../http/started-job";
import { contactJson } from "../contacts/contact";
import { computeSegment, notComputable } from "./compute";
import { tooManySegments } from "./condition-quota";
import { listSegmentContacts } from "./contacts";
import { refreshCount } from "./count";
import { createSegment } from "./create";
import { deleteSegment, segmentInUse } from "./delete";
import { explain } from "./explain/routes";
import { foreignNamesOfSegment } from "./foreign-names";
import { listSegments } from "./list";
import { members } from "./members/routes";
import { preview } from "./preview/routes";
import {
  ComputedSegment,
  CountedSegment,
  CreateSegment,
  Segment,
  SegmentContacts,
  SegmentList,
  UpdateSegment,
} from "./schema";
import { getSegment, segmentJson } from "./segment";
import { updateSegment } from "./update";

export const segments = createRouter();
const tags = ["Segments"];

const list = createRoute({
  method: "get",
  path: "/segments",
  operationId: "listSegments",
  tags,
  summary: "List the segments",
  description: "All of them, newest first.",
  responses: { ...ok(SegmentList), ...errors() },
});

segments.openapi(list, async (c) => {
  const { ctx } = c.var;
  return c.json(
    (await listSegments(ctx)).map((row) => segmentJson(ctx.project, row)),
    200,
  );
});

/** A condition that is not an object counts as missing, except in a STATIC segment. */
const condition = {
  field: "condition",
  isMissing: ({ type, condition }: Record<string, unknown>) =>
    (type ?? "DYNAMIC") === "DYNAMIC" && !isJsonObject(condition),
};

const create = createRoute({
  method: "post",
  path: "/segments",
  operationId: "createSegment",
  refusals: () => [tooManySegments()],
  tags,
  summary: "Create a segment",
  description: "A project may have at most 1,000 segments, with at most 4 MB of conditions; 409 above that.",
  middleware: legacyRequired(required("name"), condition),
  conditionNames: ["condition"],
  foreignNames: foreignNamesOfSegment,
  request: body(CreateSegment),
  responses: {
    ...created(Segment),
    ...legacyBadRequest(
      "`name` is missing, the `condition` of a DYNAMIC segment is not an object, or the body is not JSON.",
      "name",
    ),
    ...errors(403, 409, 413, 422),
  },
});

segments.openapi(create, async (c) => {
  const { ctx } = c.var;
  return c.json(segmentJson(ctx.project, await createSegment(ctx, c.req.valid("json"))), 201);
});

const get = createRoute({
  method: "get",
  path: "/segments/{id}",
  operationId: "getSegment",
  tags,
  summary: "Get a segment",
  request: { params: IdParam },
  responses: { ...ok(Segment), ...errors(404) },
});

segments.openapi(get, async (c) => {
  const { ctx } = c.var;
  return c.json(segmentJson(ctx.project, await getSegment(ctx, c.req.valid("param").id)), 200);
});

const update = createRoute({
  method: "patch",
  path: "/segments/{id}",
  operationId: "updateSegment",
  tags,
  summary: "Change a segment",
  description:
    "Only the fields sent change; the slug stays. Switching `trackMembership` on records the present members without " +
    "events; with more than 10,000 contacts a background job finds them. After a change of the condition, the next " +
    "computation records the events.",
  conditionNames: ["condition"],
  request: { params: IdParam, ...body(UpdateSegment) },
  responses: { ...ok(Segment), ...errors(400, 403, 404, 409, 413, 422) },
});

segments.openapi(update, async (c) => {
  const { ctx } = c.var;
  const segment = await updateSegment(ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(segmentJson(ctx.project, segment), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/segments/{id}",
  operationId: "deleteSegment",
  refusals: () => [
    segmentInUse({
      usedInSegments: [{ id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Active customers" }],
      usedInCampaigns: [],
      usedInWorkflows: [],
    }),
  ],
  tags,
  summary: "Delete a segment",
  description: "The contacts stay, and no events are recorded. 409 while a campaign or another segment uses it.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

segments.openapi(remove, async (c) => {
  await deleteSegment(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const listContacts = createRoute({
  method: "get",
  path: "/segments/{id}/contacts",
  operationId: "listSegmentContacts",
  tags,
  summary: "List the contacts in a segment",
  description:
    "The current members, newest first. Pages of a DYNAMIC segment cover the project's newest 2,000,000 contacts, or " +
    "fewer with very many filters; 422 for a later page.",
  request: { params: IdParam, query: PageQuery },
  responses: { ...ok(SegmentContacts), ...errors(404, 422) },
});

segments.openapi(listContacts, async (c) => {
  const { page, pageSize } = c.req.valid("query");
  const { rows, total, countedAt } = await listSegmentContacts(c.var.ctx, c.req.valid("param").id, { page, pageSize });
  const storedCount = countedAt === null ? {} : { approximate: true as const, countedAt };
  return c.json({ data: rows.map(contactJson), total, ...storedCount, page, pageSize }, 200);
});

const compute = createRoute({
  method: "post",
  path: "/segments/{id}/compute",
  operationId: "computeSegment",
  refusals: () => [notComputable()],
  tags,
  summary: "Compute the members of a tracked DYNAMIC segment",
  description:
    "Records an event for each contact that enters or leaves. A call during a computation joins it, or starts another " +
    "one after it if something may have changed since it began. 400 for a segment that is STATIC or not tracked.",
  request: { params: IdParam },
  responses: {
    ...ok(ComputedSegment),
    ...accepted(
      QueuedJob,
      "A job computes the members, because the project has more than 10,000 contacts or the condition takes long.",
    ),
    ...errors(400, 403, 404),
  },
});

segments.openapi(compute, async (c) => {
  const { ctx } = c.var;
  const computed = await computeSegment(ctx, await getSegment(ctx, c.req.valid("param").id));
  return "jobId" in computed ? c.json({ jobId: publicId(computed.jobId) }, 202) : c.json(computed, 200);
});

const refresh = createRoute({
  method: "post",
  path: "/segments/{id}/refresh",
  operationId: "refreshSegment",
  tags,
  summary: "Count the members of a segment",
  description: "Only counts: no events are recorded, and no members change.",
  request: { params: IdParam },
  responses: {
    ...ok(CountedSegment),
    ...accepted(QueuedJob, "A job counts the members, because the project is large."),
    ...errors(403, 404),
  },
});

segments.openapi(refresh, async (c) => {
  const { ctx } = c.var;
  const counted = await refreshCount(ctx, await getSegment(ctx, c.req.valid("param").id));
  if (typeof counted === "number") return c.json({ memberCount: counted }, 200);
  return c.json({ jobId: publicId(counted.jobId) }, 202);
});

segments.route("/", members);
segments.route("/", preview);
segments.route("/", explain);
