import { z } from "zod";
import { ProjectName } from "../schema";

const count = z.number().int();

const Backup = z.object({
  id: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  createdAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
  rows: count.meta({
    description: "The number of rows of tables and of workflow executions. 0 until the backup is completed.",
  }),
  bytes: count.meta({
    description: "The size of the backup in bytes, including stored files. 0 until the backup is completed.",
  }),
});

export const Backups = z.object({ data: z.array(Backup) }).meta({
  id: "Backups",
  example: {
    data: [
      {
        id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
        status: "completed",
        createdAt: "2026-01-31T03:00:00.000Z",
        completedAt: "2026-01-31T03:00:12.000Z",
        rows: 214_833,
        bytes: 96_214_502,
      },
    ],
  },
});

export const BackupResult = z
  .object({ backup: z.string().meta({ description: "The id of the backup." }), rows: count, bytes: count })
  .meta({
    id: "BackupResult",
    example: { backup: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f", rows: 214_833, bytes: 96_214_502 },
  });

export const RestoreBackup = z
  .object({
    backup: z
      .string()
      .min(1)
      .max(200)
      .meta({
        description:
          "The id of the backup. For files copied from another installation, their folder in the bucket: " +
          "`backups/<project>/<time>`.",
      }),
    as: ProjectName.optional().meta({
      description: "The name of the new project. Default: the name in the backup, followed by `(restored)`.",
    }),
  })
  .meta({
    id: "RestoreBackup",
    example: { backup: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f", as: "Acme before the import" },
  });
export type RestoreBackup = z.infer<typeof RestoreBackup>;

export const StartedRestore = z
  .object({
    jobId: z.string(),
    projectId: z.string().meta({ description: "The id of the new project, which is disabled." }),
    keys: z
      .object({ secret: z.string(), public: z.string() })
      .meta({ description: "The keys of the new project. They are shown only once, here." }),
  })
  .meta({
    id: "StartedRestore",
    example: {
      jobId: "0199a0f2-a1b2-7d3e-9f40-5a6b7c8d9e0f",
      projectId: "0199a0f2-a1b3-7a4b-8c5d-6e7f8091a2b3",
      keys: { secret: `sk_${"5f".repeat(32)}`, public: `pk_${"a0".repeat(32)}` },
    },
  });

export const RestoreResult = z
  .object({
    projectId: z.string(),
    backup: z.string().meta({ description: "The `backup` that you sent." }),
    rows: count.meta({ description: "The number of rows of tables and of workflow executions." }),
    files: count,
    changed: z
      .object({
        emails: count.meta({
          description: "The number of emails that had not been sent yet. Their status is UNKNOWN.",
        }),
        pausedCampaigns: count.meta({ description: "The number of campaigns that were being sent. They are paused." }),
        unscheduledCampaigns: count.meta({
          description: "The number of campaigns that were scheduled. They are drafts again.",
        }),
        webhooks: count.meta({ description: "The number of webhooks. They are disabled, and need a new secret." }),
        domains: count.meta({ description: "The number of sender domains. They are verified again." }),
        jobs: count.meta({
          description:
            "The number of jobs that were ended as failed, because they would have sent or called something.",
        }),
      })
      .meta({ description: "How the new project differs from the backup." }),
  })
  .meta({
    id: "RestoreResult",
    example: {
      projectId: "0199a0f2-a1b3-7a4b-8c5d-6e7f8091a2b3",
      backup: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
      rows: 214_833,
      files: 12,
      changed: { emails: 3, pausedCampaigns: 1, unscheduledCampaigns: 0, webhooks: 2, domains: 1, jobs: 0 },
    },
  });

const fileName = /^(manifest\.json|(rows|executions|files)(\/[\w-][\w.-]*)+)$/;

const missingName = "Required: the name of a file, as GET /admin/backups/{id}/files lists it";

export const FileName = z
  .string({ error: ({ input }) => (input === undefined ? missingName : undefined) })
  .max(300)
  .refine((name) => fileName.test(name), "Is not a file name of a backup")
  .meta({
    description: "The name of the file, as `GET /admin/backups/{id}/files` lists it.",
    example: "rows/contacts/000001.ndjson",
  });

export const BackupFileQuery = z.object({ name: FileName });

export const BackupFiles = z
  .object({ data: z.array(z.object({ name: z.string() })), cursor: z.string(), hasMore: z.boolean() })
  .meta({
    id: "BackupFiles",
    example: {
      data: [{ name: "manifest.json" }, { name: "rows/contacts/000001.ndjson" }],
      cursor: "",
      hasMore: false,
    },
  });

export const BackupFile = z.string().meta({ format: "binary", example: "the bytes of the file" });

export const StartedUpload = z
  .object({ id: z.string().meta({ description: "The id of the backup." }) })
  .meta({ id: "StartedUpload", example: { id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f" } });

export const UploadBackupFileQuery = BackupFileQuery.extend({
  sha256: z
    .string()
    .refine((hash) => /^[0-9a-f]{64}$/.test(hash), "Must be a SHA-256 hash as 64 lower-case hex digits")
    .optional()
    .meta({ description: "The SHA-256 hash of the file. The file is stored only if its hash is the same." }),
});
