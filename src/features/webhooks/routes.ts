import { z } from "zod";
import { iso } from "../../core/time";
import { CursorQuery, IdParam, pathId } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { starting } from "../../http/started-job";
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
  TriedDelivery,
  UpdateWebhook,
  Webhook,
  Webhooks,
} from "./schema";
import { testWebhook } from "./test";
import { queuedTryJson } from "./try";
import { updateWebhook } from "./update";
import { getWebhook, webhookJson } from "./webhook";

export const webhooks = projectRoutes("Webhooks");

webhooks.post(
  "/webhooks",
  {
    id: "createWebhook",
    role: "admin",
    isAudited: true,
    summary: "Have events delivered to a URL",
    description:
      "The answer contains the secret that verifies the signatures, which is not shown again. Only events " +
      "that happen after the call are delivered. A project has at most 20 webhooks.",
    body: CreateWebhook,
    created: CreatedWebhook,
    also: [503],
    refusals: () => [tooManyWebhooks()],
    foreignNames: [...foreignNamesOfWebhook, ...ownSecrets],
  },
  async (ctx, { body }) => {
    const { row, secret } = await createWebhook(ctx, body);
    return { ...webhookJson(ctx.project, row), secret };
  },
);

webhooks.get(
  "/webhooks",
  { id: "listWebhooks", summary: "List the webhooks, newest first", ok: Webhooks },
  async (ctx) => {
    const rows = await listWebhooks(ctx);
    return rows.map((row) => webhookJson(ctx.project, row));
  },
);

webhooks.get(
  "/webhooks/{id}",
  { id: "getWebhook", summary: "Get a webhook", params: IdParam, ok: Webhook },
  async (ctx, { params }) => webhookJson(ctx.project, await getWebhook(ctx, params.id)),
);

webhooks.patch(
  "/webhooks/{id}",
  {
    id: "updateWebhook",
    role: "admin",
    isAudited: true,
    summary: "Change a webhook",
    description:
      "Changes only the fields that you send. While a webhook is disabled, no events are stored for it; " +
      "deliveries that were waiting resume when you enable it again.",
    params: IdParam,
    body: UpdateWebhook,
    ok: Webhook,
    foreignNames: foreignNamesOfWebhook,
  },
  async (ctx, { params, body }) => webhookJson(ctx.project, await updateWebhook(ctx, params.id, body)),
);

webhooks.delete(
  "/webhooks/{id}",
  {
    id: "deleteWebhook",
    role: "admin",
    isAudited: true,
    summary: "Delete a webhook",
    description: "Deliveries that were waiting are dropped.",
    params: IdParam,
  },
  (ctx, { params }) => deleteWebhook(ctx, params.id),
);

webhooks.post(
  "/webhooks/{id}/rotate-secret",
  {
    id: "rotateWebhookSecret",
    grows: false,
    role: "admin",
    isAudited: true,
    summary: "Replace the secret of a webhook",
    description:
      "Deliveries are signed with both secrets for 24 hours, so that the receiver can switch at any time " +
      "in between.",
    params: IdParam,
    ok: RotatedWebhook,
    also: [503],
  },
  async (ctx, { params }) => {
    const { row, secret, previousUntil } = await rotateSecret(ctx, params.id);
    return { ...webhookJson(ctx.project, row), secret, previousSecretUntil: iso(previousUntil) };
  },
);

webhooks.post(
  "/webhooks/{id}/test",
  {
    id: "testWebhook",
    role: "admin",
    summary: "Send a test event",
    description:
      "Makes one call with the event `webhook.test`, even while the webhook is disabled. The result of the " +
      "job has the outcome. A failed test is not retried and does not affect the webhook. 429 after ten " +
      "tests of a webhook in a minute.",
    params: IdParam,
    accepted: starting(QueuedDelivery, TriedDelivery),
  },
  async (ctx, { params }) => queuedTryJson(await testWebhook(ctx, params.id)),
);

webhooks.get(
  "/webhooks/{id}/deliveries",
  {
    id: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook, newest events first",
    description: "A delivery is stored for 30 days.",
    params: IdParam,
    query: CursorQuery,
    ok: DeliveryPage,
  },
  (ctx, { params, query }) => listDeliveries(ctx, params.id, query),
);

webhooks.post(
  "/webhooks/{id}/deliveries/{deliveryId}/retry",
  {
    id: "retryWebhookDelivery",
    grows: false,
    role: "admin",
    summary: "Deliver an event again",
    description:
      "Calls the webhook at once, whatever the status of the delivery, with the same `webhook-id`. If the " +
      "call fails, the retries start again.",
    params: z.object({ id: pathId("id"), deliveryId: pathId("deliveryId") }),
    accepted: starting(QueuedDelivery, TriedDelivery),
    refusals: () => [webhookDisabled()],
  },
  async (ctx, { params }) => queuedTryJson(await retryDelivery(ctx, params.id, params.deliveryId)),
);
