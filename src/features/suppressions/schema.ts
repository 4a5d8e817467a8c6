import { z } from "zod";
import { Email } from "../../core/mail/address-input";
import { Warnings } from "../../core/warning";

const reasons = z.enum(["bounce", "complaint", "manual"]);
const example = { email: "gone@example.com", reason: "bounce" as const, createdAt: "2026-01-31T09:00:00.000Z" };

export const Suppression = z
  .object({ email: z.string(), reason: reasons, createdAt: z.iso.datetime() })
  .meta({ id: "Suppression", example });

export const SuppressionPage = z
  .object({
    data: z.array(Suppression),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    approximate: z.literal(true).optional(),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({ id: "SuppressionPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const AddSuppression = z
  .object({ email: Email, reason: reasons.nullish() })
  .meta({ id: "AddSuppression", example: { email: "gone@example.com" } });
export type AddSuppression = z.infer<typeof AddSuppression>;
