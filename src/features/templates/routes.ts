import { z } from "zod";
import { templateBody } from "../../engine/mail/body";
import { getTemplate, type StoredTemplate } from "../../engine/mail/template";
import { trashIsFull } from "../../engine/trash/put-away";
import { required } from "../../http/legacy";
import { IdParam, orderBy, PageQuery } from "../../http/params";
import { megabyte } from "../../http/policy";
import { projectRoutes } from "../../http/routes";
import { streamPage } from "../../http/stream-page";
import type { Context } from "../../platform/context";
import { createTemplate } from "./create";
import { confirmsSubscriptions, deleteTemplate } from "./delete";
import { duplicateTemplate } from "./duplicate";
import { foreignNamesOfTemplate } from "./foreign-names";
import { listTemplates } from "./list";
import { previewTemplate } from "./preview";
import { tooManyTemplates } from "./save-statements";
import {
  CreateTemplate,
  PreviewTemplate,
  Template,
  TemplatePage,
  TemplatePreview,
  TemplateType,
  TemplateUsage,
  UpdateTemplate,
} from "./schema";
import { templateJson } from "./template";
import { updateTemplate } from "./update";
import { templateUsage } from "./usage";

export const templates = projectRoutes("Templates");
const maxTemplateBytes = 5 * megabyte;

const TemplateQuery = PageQuery.extend({
  type: TemplateType.optional(),
  search: z.string().optional().meta({ description: "A part of the name, description or subject, case-insensitive." }),
  sort: orderBy("createdAt", "name", "updatedAt"),
  dir: orderBy("desc", "asc"),
});

templates.get(
  "/templates",
  { id: "listTemplates", summary: "List the templates", query: TemplateQuery, ok: TemplatePage },
  async (ctx, { query }, c) => {
    const { templates: found, total } = await listTemplates(ctx, query);
    return streamPage(c, jsonOf(ctx, found), { total, page: query.page, pageSize: query.pageSize });
  },
);

/** Streams whole templates one by one, because each body can be large. */
async function* jsonOf(ctx: Context, found: StoredTemplate[]): AsyncGenerator<Template> {
  for (const template of found) yield templateJson(ctx.project, template, await templateBody(ctx, template.content));
}

templates.post(
  "/templates",
  {
    id: "createTemplate",
    isAudited: true,
    summary: "Create a template",
    maxBody: maxTemplateBytes,
    body: CreateTemplate,
    created: Template,
    also: [404],
    legacy: {
      required: ["name", "subject", "body", "from"].map(required),
      description: "A required field is missing, or the body is not JSON.",
      example: "subject",
    },
    foreignNames: foreignNamesOfTemplate,
  },
  async (ctx, { body }) => templateJson(ctx.project, await createTemplate(ctx, body), body.body),
);

templates.get(
  "/templates/{id}",
  { id: "getTemplate", summary: "Get a template", params: IdParam, ok: Template },
  async (ctx, { params }) => {
    const template = await getTemplate(ctx, params.id);
    return templateJson(ctx.project, template, await templateBody(ctx, template.content));
  },
);

templates.patch(
  "/templates/{id}",
  {
    id: "updateTemplate",
    isAudited: true,
    grows: true,
    isVersioned: true,
    summary: "Change a template",
    description:
      "Changes only the fields that you send. Mail that was already accepted still uses the earlier version.",
    maxBody: maxTemplateBytes,
    params: IdParam,
    body: UpdateTemplate,
    ok: Template,
    also: [409],
    foreignNames: foreignNamesOfTemplate,
  },
  async (ctx, { params, body }) => {
    const template = await updateTemplate(ctx, params.id, body);
    return templateJson(ctx.project, template, await templateBody(ctx, template.content));
  },
);

templates.delete(
  "/templates/{id}",
  {
    id: "deleteTemplate",
    isAudited: true,
    summary: "Delete a template",
    description: "Mail that was already accepted is still sent. 409 while a step of a workflow uses the template.",
    params: IdParam,
    refusals: () => [confirmsSubscriptions(), trashIsFull()],
  },
  (ctx, { params }) => deleteTemplate(ctx, params.id),
);

templates.post(
  "/templates/{id}/duplicate",
  {
    id: "duplicateTemplate",
    isAudited: true,
    summary: "Copy a template",
    params: IdParam,
    created: Template,
    refusals: () => [tooManyTemplates()],
  },
  async (ctx, { params }) => {
    const copy = await duplicateTemplate(ctx, params.id);
    return templateJson(ctx.project, copy, await templateBody(ctx, copy.content));
  },
);

templates.get(
  "/templates/{id}/usage",
  { id: "getTemplateUsage", summary: "See what uses a template", params: IdParam, ok: TemplateUsage },
  (ctx, { params }) => templateUsage(ctx, params.id),
);

templates.post(
  "/templates/{id}/preview",
  {
    id: "previewTemplate",
    summary: "Preview a template as it would be sent",
    description: "Nothing is sent or stored. Links to the recipient's pages do not work in a preview.",
    maxBody: maxTemplateBytes,
    isRead: true,
    params: IdParam,
    body: PreviewTemplate,
    isBodyOptional: true,
    ok: TemplatePreview,
  },
  (ctx, { params, body }) => previewTemplate(ctx, params.id, body),
);
