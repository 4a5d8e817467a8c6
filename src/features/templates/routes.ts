import { z } from "zod";
import { templateBody } from "../../engine/mail/body";
import { absentIsEmpty } from "../../http/body";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { legacyBadRequest, legacyRequired, required } from "../../http/legacy";
import { IdParam, orderBy, PageQuery } from "../../http/params";
import { megabyte } from "../../http/policy";
import { createRouter } from "../../http/router";
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
import { getTemplate, type StoredTemplate, templateJson } from "./template";
import { updateTemplate } from "./update";
import { templateUsage } from "./usage";

export const templates = createRouter();
const tags = ["Templates"];
const maxTemplateBytes = 5 * megabyte;

const TemplateQuery = PageQuery.extend({
  type: TemplateType.optional(),
  search: z.string().optional().meta({ description: "A part of the name, description or subject, case-insensitive." }),
  sort: orderBy("createdAt", "name", "updatedAt"),
  dir: orderBy("desc", "asc"),
});

const list = createRoute({
  method: "get",
  path: "/templates",
  operationId: "listTemplates",
  tags,
  summary: "List the templates",
  request: { query: TemplateQuery },
  responses: { ...ok(TemplatePage), ...errors(422) },
});

templates.openapi(list, async (c) => {
  const { ctx } = c.var;
  const asked = c.req.valid("query");
  const { templates: found, total } = await listTemplates(ctx, asked);
  return streamPage(c, jsonOf(ctx, found), { total, page: asked.page, pageSize: asked.pageSize });
});

/** Streams whole templates one by one, because each body may be large. */
async function* jsonOf(ctx: Context, found: StoredTemplate[]): AsyncGenerator<Template> {
  for (const template of found) yield templateJson(ctx.project, template, await templateBody(ctx, template.content));
}

const create = createRoute({
  method: "post",
  path: "/templates",
  policy: { maxBody: maxTemplateBytes },
  operationId: "createTemplate",
  tags,
  summary: "Create a template",
  middleware: legacyRequired(...["name", "subject", "body", "from"].map(required)),
  foreignNames: foreignNamesOfTemplate,
  request: body(CreateTemplate),
  responses: {
    ...created(Template),
    ...legacyBadRequest("A required field is missing, or the body is not JSON.", "subject"),
    ...errors(403, 404, 413, 422, 503),
  },
});

templates.openapi(create, async (c) => {
  const { ctx } = c.var;
  const input = c.req.valid("json");
  return c.json(templateJson(ctx.project, await createTemplate(ctx, input), input.body), 201);
});

const get = createRoute({
  method: "get",
  path: "/templates/{id}",
  operationId: "getTemplate",
  tags,
  summary: "Get a template",
  request: { params: IdParam },
  responses: { ...ok(Template), ...errors(404) },
});

templates.openapi(get, async (c) => {
  const { ctx } = c.var;
  const template = await getTemplate(ctx, c.req.valid("param").id);
  return c.json(templateJson(ctx.project, template, await templateBody(ctx, template.content)), 200);
});

const update = createRoute({
  method: "patch",
  path: "/templates/{id}",
  policy: { maxBody: maxTemplateBytes },
  operationId: "updateTemplate",
  tags,
  summary: "Change a template",
  description: "Only the fields sent change. Mail that was already accepted still uses the earlier version.",
  foreignNames: foreignNamesOfTemplate,
  request: { params: IdParam, ...body(UpdateTemplate) },
  responses: { ...ok(Template), ...errors(400, 403, 404, 409, 413, 422, 503) },
});

templates.openapi(update, async (c) => {
  const { ctx } = c.var;
  const template = await updateTemplate(ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(templateJson(ctx.project, template, await templateBody(ctx, template.content)), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/templates/{id}",
  operationId: "deleteTemplate",
  refusals: () => [confirmsSubscriptions()],
  tags,
  summary: "Delete a template",
  description: "Mail that was already accepted still goes out. 409 while a step of a workflow uses it.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

templates.openapi(remove, async (c) => {
  await deleteTemplate(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const duplicate = createRoute({
  method: "post",
  path: "/templates/{id}/duplicate",
  operationId: "duplicateTemplate",
  refusals: () => [tooManyTemplates()],
  tags,
  summary: "Copy a template",
  request: { params: IdParam },
  responses: { ...created(Template), ...errors(403, 404, 422) },
});

templates.openapi(duplicate, async (c) => {
  const { ctx } = c.var;
  const copy = await duplicateTemplate(ctx, c.req.valid("param").id);
  return c.json(templateJson(ctx.project, copy, await templateBody(ctx, copy.content)), 201);
});

const usage = createRoute({
  method: "get",
  path: "/templates/{id}/usage",
  operationId: "getTemplateUsage",
  tags,
  summary: "See what uses a template",
  request: { params: IdParam },
  responses: { ...ok(TemplateUsage), ...errors(404) },
});

templates.openapi(usage, async (c) => c.json(await templateUsage(c.var.ctx, c.req.valid("param").id), 200));

const preview = createRoute({
  method: "post",
  path: "/templates/{id}/preview",
  policy: { maxBody: maxTemplateBytes, isRead: true },
  operationId: "previewTemplate",
  tags,
  summary: "Preview a template as it would be sent",
  description: "Nothing is sent or stored. Links to the recipient's pages do not work in a preview.",
  middleware: absentIsEmpty,
  request: { params: IdParam, body: { ...body(PreviewTemplate).body, required: false } },
  responses: { ...ok(TemplatePreview), ...errors(400, 404, 413, 422, 503) },
});

templates.openapi(preview, async (c) =>
  c.json(await previewTemplate(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
);
