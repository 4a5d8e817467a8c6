import { publicId } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { trashIsFull } from "../../engine/trash/put-away";
import { required } from "../../http/legacy";
import { IdParam, PageQuery } from "../../http/params";
import { projectRoutes } from "../../http/routes";
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

export const segments = projectRoutes("Segments");

segments.get(
  "/segments",
  {
    id: "listSegments",
    summary: "List the segments",
    description: "Returns all segments, newest first.",
    ok: SegmentList,
  },
  async (ctx) => (await listSegments(ctx)).map((row) => segmentJson(ctx.project, row)),
);

/** A condition that is not an object counts as missing, except in a STATIC segment. */
const condition = {
  field: "condition",
  isMissing: ({ type, condition }: Record<string, unknown>) =>
    (type ?? "DYNAMIC") === "DYNAMIC" && !isJsonObject(condition),
};

segments.post(
  "/segments",
  {
    id: "createSegment",
    isAudited: true,
    summary: "Create a segment",
    description:
      "A project may have at most 1,000 segments, with at most 4 MB of conditions in total; 409 above " + "that.",
    body: CreateSegment,
    created: Segment,
    legacy: {
      required: [required("name"), condition],
      description: "`name` is missing, the `condition` of a DYNAMIC segment is not an object, or the body is not JSON.",
      example: "name",
    },
    refusals: () => [tooManySegments()],
    foreignNames: foreignNamesOfSegment,
    conditionNames: ["condition"],
  },
  async (ctx, { body }) => segmentJson(ctx.project, await createSegment(ctx, body)),
);

segments.get(
  "/segments/{id}",
  { id: "getSegment", summary: "Get a segment", params: IdParam, ok: Segment },
  async (ctx, { params }) => segmentJson(ctx.project, await getSegment(ctx, params.id)),
);

segments.patch(
  "/segments/{id}",
  {
    id: "updateSegment",
    isAudited: true,
    isVersioned: true,
    summary: "Change a segment",
    description:
      "Changes only the fields that you send; the slug never changes. If you set `trackMembership` to " +
      "true, the present members are recorded without events; in a project of more than 10,000 contacts, a " +
      "background job finds them. If you change the condition, the next computation records the events.",
    params: IdParam,
    body: UpdateSegment,
    ok: Segment,
    also: [409],
    conditionNames: ["condition"],
  },
  async (ctx, { params, body }) => segmentJson(ctx.project, await updateSegment(ctx, params.id, body)),
);

segments.delete(
  "/segments/{id}",
  {
    id: "deleteSegment",
    isAudited: true,
    summary: "Delete a segment",
    description:
      "The segment's contacts stay, and no events are recorded. 409 if a campaign or another segment uses " +
      "the segment.",
    params: IdParam,
    refusals: () => [
      segmentInUse({
        usedInSegments: [{ id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Active customers" }],
        usedInCampaigns: [],
        usedInWorkflows: [],
      }),
      trashIsFull(),
    ],
  },
  (ctx, { params }) => deleteSegment(ctx, params.id),
);

segments.get(
  "/segments/{id}/contacts",
  {
    id: "listSegmentContacts",
    summary: "List the contacts in a segment",
    description:
      "Returns the current members, newest first. The pages of a DYNAMIC segment cover the project's " +
      "newest 2,000,000 contacts, or fewer with very many filters; 422 for a later page.",
    params: IdParam,
    query: PageQuery,
    ok: SegmentContacts,
  },
  async (ctx, { params, query }) => {
    const { page, pageSize } = query;
    const { rows, total, countedAt } = await listSegmentContacts(ctx, params.id, { page, pageSize });
    const storedCount = countedAt === null ? {} : { approximate: true as const, countedAt };
    return { data: rows.map(contactJson), total, ...storedCount, page, pageSize };
  },
);

segments.post(
  "/segments/{id}/compute",
  {
    id: "computeSegment",
    summary: "Compute the members of a tracked DYNAMIC segment",
    description:
      "Records an event for each contact that enters or leaves. If a computation is running, the call " +
      "joins it, or starts another one after it if something may have changed since it began. 400 for a " +
      "segment that is STATIC or not tracked.",
    params: IdParam,
    ok: ComputedSegment,
    accepted: {
      schema: QueuedJob,
      jobResult: ComputedSegment,
      description:
        "A job computes the members, because the project has more than 10,000 contacts or the condition " +
        "takes long to evaluate.",
    },
    refusals: () => [notComputable()],
  },
  async (ctx, { params }, c) => {
    const computed = await computeSegment(ctx, await getSegment(ctx, params.id));
    return "jobId" in computed ? c.json({ jobId: publicId(computed.jobId) }, 202) : computed;
  },
);

segments.post(
  "/segments/{id}/refresh",
  {
    id: "refreshSegment",
    summary: "Count the members of a segment",
    description: "Stores the number as `memberCount`. No events are recorded, and no members change.",
    params: IdParam,
    ok: CountedSegment,
    accepted: {
      schema: QueuedJob,
      jobResult: CountedSegment,
      description: "A job counts the members, because the project is large.",
    },
  },
  async (ctx, { params }, c) => {
    const counted = await refreshCount(ctx, await getSegment(ctx, params.id));
    if (typeof counted === "number") return { memberCount: counted };
    return c.json({ jobId: publicId(counted.jobId) }, 202);
  },
);

segments.router.route("/", members.router);
segments.router.route("/", preview.router);
segments.router.route("/", explain.router);
