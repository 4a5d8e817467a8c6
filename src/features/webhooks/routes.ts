import { z } from "zod";
import { iso } from "../../core/time";
import { accepted, body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { CursorQuery, IdParam, pathId } from "../../http/params";
import { createRouter } from "../../http/router";
import { createWebhook, tooManyWebhooks } from "./create";
import { deleteWebhook } from "./delete";
import { listDeliveries } from "./deliveries";
import { foreignNamesOfWebhook, ownSecrets } from "./foreign-names";
import { listWebhooks } from "./list";
import { retryDelivery, webhookDisabled } from "./retry";
import { rotateSecret } from "./rotate-secret";
import {
  CreatedWebhook,
  CreateWebhook,
  DeliveryPage,
  QueuedDelivery,
  RotatedWebhook,
  UpdateWebhook,
  Webhook,
  Webhooks,
} from "./schema";
import { testWebhook } from "./test";
import { queuedTryJson } from "./try";
import { updateWebhook } from "./update";
import { getWebhook, webhookJson } from "./webhook";

export const webhooks = createRouter();
const tags = ["Webhooks"];

const create = createRoute({
  method: "post",
  path: "/webhooks",
  operationId: "createWebhook",
  refusals: () => [tooManyWebhooks()],
  tags,
  summary: "Have events delivered to a URL",
  description:
    "The answer has the secret that verifies the signatures; it is not shown again. A project has at most 20 webhooks. " +
    "Events that happen from now on are delivered.",
  foreignNames: [...foreignNamesOfWebhook, ...ownSecrets],
  request: body(CreateWebhook),
  responses: { ...created(CreatedWebhook), ...errors(400, 403, 409, 413, 422, 503) },
});

webhooks.openapi(create, async (c) => {
  const { ctx } = c.var;
  const { row, secret } = await createWebhook(ctx, c.req.valid("json"));
  return c.json({ ...webhookJson(ctx.project, row), secret }, 201);
});

const list = createRoute({
  method: "get",
  path: "/webhooks",
  operationId: "listWebhooks",
  tags,
  summary: "List the webhooks, newest first",
  responses: { ...ok(Webhooks), ...errors() },
});

webhooks.openapi(list, async (c) => {
  const { ctx } = c.var;
  const rows = await listWebhooks(ctx);
  return c.json(
    rows.map((row) => webhookJson(ctx.project, row)),
    200,
  );
});

const get = createRoute({
  method: "get",
  path: "/webhooks/{id}",
  operationId: "getWebhook",
  tags,
  summary: "Get a webhook",
  request: { params: IdParam },
  responses: { ...ok(Webhook), ...errors(404) },
});

webhooks.openapi(get, async (c) => {
  const { ctx } = c.var;
  return c.json(webhookJson(ctx.project, await getWebhook(ctx, c.req.valid("param").id)), 200);
});

const update = createRoute({
  method: "patch",
  path: "/webhooks/{id}",
  operationId: "updateWebhook",
  tags,
  summary: "Change a webhook",
  description:
    "Only the fields sent change. While a webhook is disabled, no events are stored for it; deliveries that were waiting " +
    "resume when it is enabled again.",
  foreignNames: foreignNamesOfWebhook,
  request: { params: IdParam, ...body(UpdateWebhook) },
  responses: { ...ok(Webhook), ...errors(400, 403, 404, 413, 422) },
});

webhooks.openapi(update, async (c) => {
  const { ctx } = c.var;
  const row = await updateWebhook(ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(webhookJson(ctx.project, row), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/webhooks/{id}",
  operationId: "deleteWebhook",
  tags,
  summary: "Delete a webhook",
  description: "Deliveries that were waiting are not made.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404) },
});

webhooks.openapi(remove, async (c) => {
  await deleteWebhook(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const rotate = createRoute({
  method: "post",
  path: "/webhooks/{id}/rotate-secret",
  operationId: "rotateWebhookSecret",
  tags,
  summary: "Replace the secret of a webhook",
  description:
    "For 24 hours, deliveries are signed with both secrets, so that the receiver can switch at any time in between.",
  request: { params: IdParam },
  responses: { ...ok(RotatedWebhook), ...errors(403, 404, 503) },
});

webhooks.openapi(rotate, async (c) => {
  const { ctx } = c.var;
  const { row, secret, previousUntil } = await rotateSecret(ctx, c.req.valid("param").id);
  return c.json({ ...webhookJson(ctx.project, row), secret, previousSecretUntil: iso(previousUntil) }, 200);
});

const test = createRoute({
  method: "post",
  path: "/webhooks/{id}/test",
  operationId: "testWebhook",
  tags,
  summary: "Send a test event",
  description:
    "One call with an event `webhook.test`, even when the webhook is disabled. The job's result has the outcome. A failed " +
    "test is not retried and does not affect the webhook. At most ten tests a minute for each webhook: 429 beyond.",
  request: { params: IdParam },
  responses: { ...accepted(QueuedDelivery), ...errors(403, 404, 429) },
});

webhooks.openapi(test, async (c) => c.json(queuedTryJson(await testWebhook(c.var.ctx, c.req.valid("param").id)), 202));

const deliveries = createRoute({
  method: "get",
  path: "/webhooks/{id}/deliveries",
  operationId: "listWebhookDeliveries",
  tags,
  summary: "List the deliveries of a webhook, newest events first",
  description: "Deliveries are stored for 30 days.",
  request: { params: IdParam, query: CursorQuery },
  responses: { ...ok(DeliveryPage), ...errors(400, 404, 422) },
});

webhooks.openapi(deliveries, async (c) =>
  c.json(await listDeliveries(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
);

const retry = createRoute({
  method: "post",
  path: "/webhooks/{id}/deliveries/{deliveryId}/retry",
  operationId: "retryWebhookDelivery",
  refusals: () => [webhookDisabled()],
  tags,
  summary: "Deliver an event again",
  description:
    "Calls at once, whatever the delivery's status, with the same `webhook-id`. If the call fails, the retries start again.",
  request: { params: z.object({ id: pathId("id"), deliveryId: pathId("deliveryId") }) },
  responses: { ...accepted(QueuedDelivery), ...errors(403, 404, 409) },
});

webhooks.openapi(retry, async (c) => {
  const { id, deliveryId } = c.req.valid("param");
  return c.json(queuedTryJson(await retryDelivery(c.var.ctx, id, deliveryId)), 202);
});
