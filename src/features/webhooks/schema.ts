import { z } from "zod";
import { Description } from "../../core/name";
import { Warnings } from "../../core/warning";
import { ListenedNames } from "../../core/webhooks/event-names";

const webhookExample = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  url: "https://example.com/hooks/petrel",
  events: ["email.*", "contact.unsubscribed"],
  description: "Our CRM",
  disabled: false,
  disabledReason: null,
  lastSuccessAt: "2026-01-31T09:00:00.000Z",
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};
const secretExample = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

const webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  disabled: z.boolean(),
  disabledReason: z.string().nullable().meta({
    description: "Why Petrel disabled the webhook. Null if it is enabled, or if a PATCH disabled it.",
  }),
  lastSuccessAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: "When a delivery last succeeded, accurate to the minute. Null if none has." }),
  projectId: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const Webhook = webhook.meta({ id: "Webhook", example: webhookExample });
export const Webhooks = z.array(Webhook).meta({ id: "Webhooks", example: [webhookExample] });

export const CreatedWebhook = webhook
  .extend({ secret: z.string().meta({ description: "The secret to verify signatures with. Shown only once." }) })
  .meta({ id: "CreatedWebhook", example: { ...webhookExample, secret: secretExample } });

export const RotatedWebhook = CreatedWebhook.extend({
  previousSecretUntil: z.iso
    .datetime()
    .meta({ description: "Until when deliveries are also signed with the previous secret." }),
}).meta({
  id: "RotatedWebhook",
  example: { ...webhookExample, secret: secretExample, previousSecretUntil: "2026-02-01T09:00:00.000Z" },
});

const url = z.string().min(1).meta({
  description: "The URL to call: http: or https:, on the public internet, without a user name or password.",
});
const description = Description.nullish();

export const CreateWebhook = z
  .object({ url, events: ListenedNames, description })
  .meta({ id: "CreateWebhook", example: { url: webhookExample.url, events: webhookExample.events } });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z
  .object({
    url: url.optional(),
    events: ListenedNames.optional(),
    description,
    disabled: z.boolean().optional().meta({
      description: "Whether deliveries are stopped. `false` starts them again, also after Petrel disabled the webhook.",
    }),
  })
  .meta({ id: "UpdateWebhook", example: { disabled: false } });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

const deliveryExample = {
  id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
  webhookId: webhookExample.id,
  type: "email.delivered",
  status: "PENDING" as const,
  attempts: 1,
  nextAttemptAt: "2026-01-31T09:01:00.000Z",
  lastAttemptAt: "2026-01-31T09:00:00.000Z",
  statusCode: 500,
  error: "The endpoint answered 500.",
  response: "Internal Server Error",
  createdAt: "2026-01-31T09:00:00.000Z",
};

const Delivery = z
  .object({
    id: z.string().meta({ description: "The id of the event, which is also in the header `webhook-id`." }),
    webhookId: z.string(),
    type: z.string(),
    status: z.enum(["PENDING", "SUCCEEDED", "FAILED"]),
    attempts: z.number().int(),
    nextAttemptAt: z.iso.datetime().nullable(),
    lastAttemptAt: z.iso.datetime().nullable(),
    statusCode: z.number().int().nullable(),
    error: z.string().nullable(),
    response: z
      .string()
      .nullable()
      .meta({ description: "The first 1,000 characters of the last answer. Null if it was empty, or none came." }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "WebhookDelivery", example: deliveryExample });

export const DeliveryPage = z
  .object({
    data: z.array(Delivery),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    approximate: z.literal(true).optional(),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({ id: "WebhookDeliveryPage", example: { data: [deliveryExample], cursor: "", hasMore: false, total: 1 } });

export const QueuedDelivery = z.object({ jobId: z.string(), deliveryId: z.string() }).meta({
  id: "QueuedDelivery",
  example: { jobId: "0199a0f2-aaaa-7e6f-b1c4-2a3b4c5d6e7f", deliveryId: deliveryExample.id },
});

export const TriedDelivery = z
  .object({
    deliveryId: z.string(),
    succeeded: z.boolean(),
    statusCode: z.number().int().nullable().meta({ description: "The status of the answer. Null if none came." }),
    error: z.string().nullable(),
  })
  .meta({
    id: "TriedDelivery",
    example: { deliveryId: deliveryExample.id, succeeded: true, statusCode: 204, error: null },
  });
