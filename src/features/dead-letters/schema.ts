import { z } from "zod";
import { Warnings } from "../../core/warning";

const example = {
  id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
  queue: "petrel-jobs-dead",
  type: "contacts.bulk",
  message: { type: "contacts.bulk", projectId: 7, jobId: "-NxYz1aB2cD3eF4gH5iJ" },
  createdAt: "2026-01-31T09:00:00.000Z",
};

export const DeadLetter = z
  .object({
    id: z.string(),
    queue: z.string(),
    type: z.string().nullable().meta({ description: "The type of the message; null when it cannot be read." }),
    message: z.unknown().meta({ description: "The message as it was queued. It refers to rows by their stored ids." }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "DeadLetter", example });

export const DeadLetterPage = z
  .object({
    data: z.array(DeadLetter),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "DeadLetterPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const RetriedDeadLetter = z
  .object({ id: z.string(), type: z.string(), status: z.literal("queued") })
  .meta({ id: "RetriedDeadLetter", example: { id: example.id, type: example.type, status: "queued" } });
