import { projectRoutes } from "../../../http/routes";
import { contactJson } from "../../contacts/contact";
import { previewSegment } from "./preview";
import { PreviewSegment, SegmentPreview } from "./schema";

export const preview = projectRoutes("Segments");

preview.post(
  "/segments/preview",
  {
    id: "previewSegment",
    summary: "Preview the contacts that match a condition",
    description: "Counts the contacts and shows up to 10 of them. Nothing is stored.",
    isRead: true,
    body: PreviewSegment,
    ok: SegmentPreview,
    conditionNames: ["condition"],
  },
  async (ctx, { body }) => {
    const { count, isApproximate, sample } = await previewSegment(ctx, body.condition);
    const shown = { sample: sample.map(contactJson), ...(isApproximate ? { approximate: true as const } : {}) };
    return count === null ? { count, atLeast: 0, ...shown } : { count, ...shown };
  },
);
