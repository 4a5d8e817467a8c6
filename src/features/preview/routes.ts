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
      "Renders the content as a template or campaign would be, with the footer. Nothing is sent or stored, and links to " +
      "unsubscribe do not work. Without `contactId`, only `data` fills the variables.",
    maxBody: 5 * megabyte,
    isRead: true,
    foreignNames: foreignNamesOfContent,
    body: PreviewContent,
    ok: ContentPreview,
    also: [404],
  },
  (ctx, { body }) => previewContent(ctx, body),
);
