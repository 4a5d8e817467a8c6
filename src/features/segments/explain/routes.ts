import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { explainSegment } from "./explain";
import { ExplainSegment, SegmentExplanation } from "./schema";

export const explain = createRouter();
const tags = ["Segments"];

const show = createRoute({
  method: "post",
  path: "/segments/{id}/explain",
  policy: { isRead: true },
  operationId: "explainSegment",
  tags,
  summary: "Explain why a contact is in a segment or not",
  description: "Returns each filter of the condition, whether it matches the contact, and the contact's actual value.",
  request: { params: IdParam, ...body(ExplainSegment) },
  responses: { ...ok(SegmentExplanation), ...errors(400, 404, 413, 422) },
});

explain.openapi(show, async (c) => {
  const { id } = c.req.valid("param");
  return c.json(await explainSegment(c.var.ctx, id, c.req.valid("json")), 200);
});
