import { z } from "zod";
import { jobStatuses } from "../../core/job-status";
import { jobTypes } from "../../core/messages";
import { Warnings } from "../../core/warning";

const example = {
  jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
  type: "project.erase",
  status: "completed" as const,
  progress: 100,
  result: null,
  errors: [],
  createdAt: "2026-01-31T09:00:00.000Z",
  completedAt: "2026-01-31T09:01:10.000Z",
};

export const Job = z
  .object({
    jobId: z.string(),
    type: z.string(),
    status: z.enum(jobStatuses),
    progress: z.number().int().min(0).max(100),
    result: z.record(z.string(), z.unknown()).nullable().meta({
      description: "The result of a completed job, with the schema in `x-job-result` of the call that started it.",
    }),
    errors: z.array(z.record(z.string(), z.unknown())),
    warnings: Warnings.meta({ description: "For an import: as in `GET /contacts/import/{jobId}`." }),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: "Job",
    example,
  });

export const JobFilters = z.object({
  status: z.enum(jobStatuses).optional(),
  type: z.enum(jobTypes).optional(),
});
export type JobFilters = z.infer<typeof JobFilters>;

const listed = { ...example, type: "contacts.bulk" };

export const JobPage = z
  .object({
    data: z.array(Job),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int().meta({ description: "The number of jobs, on the first page only; 0 on later pages." }),
    approximate: z.literal(true).optional().meta({ description: "Present if there may be more jobs than `total`." }),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({ id: "JobPage", example: { data: [listed], cursor: "", hasMore: false, total: 1 } });
