import { z } from "zod";
import { actorKinds } from "../../core/audit/call";
import { DateRange } from "../../core/events/range";
import { Warnings } from "../../core/warning";

const example = {
  id: "0199a0f2-7d2e-7b3a-9d54-0c8f6f1f2a10",
  at: "2026-01-31T09:00:00.000Z",
  actor: { kind: "person" as const, id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Ada" },
  action: "updateWebhook",
  target: { type: "webhook", id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f", name: "https://example.com/hooks/petrel" },
  changes: [{ field: "disabled", from: true, to: false }],
  ip: "203.0.113.7",
  requestId: "5c0c26a8-2f0c-4a71-9d3e-6f1f2a100199",
};

const AuditEntry = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    actor: z.object({
      kind: z.enum(actorKinds).meta({ description: "Who made the call. `operator` stands for `ADMIN_TOKEN`." }),
      id: z.uuid().nullable().meta({ description: "The id of the person or key. Null for the operator." }),
      name: z.string().nullable().meta({
        description: "The name at the time: a person's name or address, a key's name or first characters.",
      }),
    }),
    action: z.string().meta({ description: "The operation, by its `operationId` in this document." }),
    target: z.object({
      type: z.string(),
      id: z
        .uuid()
        .nullable()
        .meta({ description: "The id of what was changed. Null for the installation as a whole." }),
      name: z.string().nullable(),
    }),
    changes: z.array(
      z.object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }).meta({
        description:
          "What changed, by field. Secrets and bodies have neither `from` nor `to`: the entry only says that " +
          "they changed.",
      }),
    ),
    ip: z.string().nullable().meta({ description: "The IP address that the call came from." }),
    requestId: z.string().meta({ description: "The `X-Request-ID` of the answer." }),
  })
  .meta({ id: "AuditEntry", example });

export const AuditPage = z
  .object({
    data: z.array(AuditEntry),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int().meta({ description: "The number of entries, on the first page only; 0 on later pages." }),
    approximate: z.literal(true).optional().meta({ description: "Present if there may be more entries than `total`." }),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({ id: "AuditPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const AuditFilters = z.object({
  actor: z.string().optional().meta({ description: "The id of a person or of a key, or `operator`." }),
  target: z.string().optional().meta({ description: "The id of what was changed." }),
  action: z.string().optional().meta({ description: "The id of an operation, such as `updateWebhook`." }),
  ...DateRange.shape,
});
export type AuditFilters = z.infer<typeof AuditFilters>;
