import { z } from "zod";
import { Warnings } from "../../core/warning";

export const JobStatus = z.enum(["queued", "processing", "completed", "failed"]);

export const Job = z
  .object({
    jobId: z.string(),
    type: z.string(),
    status: JobStatus,
    progress: z.number().int().min(0).max(100),
    result: z.record(z.string(), z.unknown()).nullable(),
    errors: z.array(z.record(z.string(), z.unknown())),
    warnings: Warnings.meta({ description: "Of an import: the same as in `GET /contacts/import/{jobId}`." }),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: "Job",
    example: {
      jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
      type: "project.erase",
      status: "completed",
      progress: 100,
      result: null,
      errors: [],
      createdAt: "2026-01-31T09:00:00.000Z",
      completedAt: "2026-01-31T09:01:10.000Z",
    },
  });
