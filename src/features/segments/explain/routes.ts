import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { explainSegment } from "./explain";
import { ExplainSegment, SegmentExplanation } from "./schema";

export const explain = projectRoutes("Segments");

explain.post(
  "/segments/{id}/explain",
  {
    id: "explainSegment",
    summary: "Explain why a contact is in a segment or not",
    description:
      "Returns each filter of the condition, whether it matches the contact, and the contact's actual value.",
    isRead: true,
    params: IdParam,
    body: ExplainSegment,
    ok: SegmentExplanation,
  },
  (ctx, { params, body }) => explainSegment(ctx, params.id, body),
);
