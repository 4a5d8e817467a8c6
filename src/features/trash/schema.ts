import { z } from "zod";
import { trashTypes } from "../../core/trash";
import { Warnings } from "../../core/warning";

const example = {
  type: "template" as const,
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  name: "Welcome",
  deletedAt: "2026-01-31T09:00:00.000Z",
  restorableUntil: "2026-03-02T09:00:00.000Z",
};

export const TrashType = z.enum(trashTypes);

const TrashEntry = z.object({
  type: TrashType,
  id: z.string().meta({ description: "The id that the resource had, and has again after a restore." }),
  name: z.string(),
  deletedAt: z.iso.datetime(),
  restorableUntil: z.iso
    .datetime()
    .meta({ description: "The time 30 days after the deletion, when the resource is deleted permanently." }),
});
export type TrashEntry = z.infer<typeof TrashEntry>;

export const TrashPage = z
  .object({
    data: z.array(TrashEntry),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    approximate: z.literal(true).optional().meta({ description: "Present if `total` counts only the newest entries." }),
    countedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the entries were counted. Present with `approximate`." }),
    warnings: Warnings,
  })
  .meta({ id: "TrashPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });
