import { z } from "zod";
import { Email } from "../../core/mail/address-input";
import { suppressionReasons } from "../../core/mail/suppression-reasons";
import { Warnings } from "../../core/warning";

const maxSuppressions = 1_000;

const Reason = z.enum(suppressionReasons);
const example = { email: "gone@example.com", reason: "bounce" as const, createdAt: "2026-01-31T09:00:00.000Z" };

export const Suppression = z
  .object({ email: z.string(), reason: Reason, createdAt: z.iso.datetime() })
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
  .object({ email: Email, reason: Reason.nullish() })
  .meta({ id: "AddSuppression", example: { email: "gone@example.com" } });
export type AddSuppression = z.infer<typeof AddSuppression>;

export const AddSuppressions = z
  .object({
    suppressions: z
      .array(
        AddSuppression.extend({
          createdAt: z.iso
            .datetime({ offset: true })
            .nullish()
            .meta({
              description:
                "When the other service listed the address. Default: the current time, which also replaces a time in " +
                "the future.",
            }),
        }),
      )
      .min(1)
      .max(maxSuppressions)
      .meta({ description: "The addresses to suppress. If you send an address twice, only the first entry counts." }),
  })
  .meta({
    id: "AddSuppressions",
    example: { suppressions: [example, { email: "left@example.com", reason: "unsubscribe" }] },
  });
export type AddSuppressions = z.infer<typeof AddSuppressions>;

const count = z.number().int();

export const AddedSuppressions = z
  .object({
    created: count.meta({ description: "The number of addresses that are newly suppressed." }),
    existing: count.meta({
      description: "The number of addresses that were already suppressed. They keep their reason and time.",
    }),
  })
  .meta({ id: "AddedSuppressions", example: { created: 2, existing: 0 } });
