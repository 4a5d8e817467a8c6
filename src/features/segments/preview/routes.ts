import { body, createRoute, errors, ok } from "../../../http/define";
import { createRouter } from "../../../http/router";
import { contactJson } from "../../contacts/contact";
import { previewSegment } from "./preview";
import { PreviewSegment, SegmentPreview } from "./schema";

export const preview = createRouter();
const tags = ["Segments"];

const show = createRoute({
  method: "post",
  path: "/segments/preview",
  policy: { isRead: true },
  operationId: "previewSegment",
  tags,
  summary: "Preview the contacts that match a condition",
  description: "Nothing is stored.",
  conditionNames: ["condition"],
  request: body(PreviewSegment),
  responses: { ...ok(SegmentPreview), ...errors(400, 413, 422) },
});

preview.openapi(show, async (c) => {
  const { count, isApproximate, sample } = await previewSegment(c.var.ctx, c.req.valid("json").condition);
  const shown = { sample: sample.map(contactJson), ...(isApproximate ? { approximate: true as const } : {}) };
  return c.json(count === null ? { count, atLeast: 0, ...shown } : { count, ...shown }, 200);
});
