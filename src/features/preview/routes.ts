import { foreignNamesOfContent } from "../../core/mail/foreign-names";
import { megabyte } from "../../http/policy";
import { projectRoutes } from "../../http/routes";
import { previewContent } from "./preview";
import { ContentPreview, PreviewContent } from "./schema";

export const preview = projectRoutes("Templates");

preview.post(
  "/preview",
  {
    id: "previewContent",
    summary: "Preview content that is not saved",
    description:
      "Renders it as templates and campaigns are composed, with the footer. Nothing is sent or stored, and its links to " +
      "unsubscribe do not work. Without `contactId`, `data` alone fills it.",
    maxBody: 5 * megabyte,
    isRead: true,
    foreignNames: foreignNamesOfContent,
    body: PreviewContent,
    ok: ContentPreview,
    also: [404],
  },
  (ctx, { body }) => previewContent(ctx, body),
);
