import { z } from "zod";

const count = z.number().int();

const Backup = z.object({
  id: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  createdAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
  rows: count.meta({ description: "Rows of tables and of workflows' executions; 0 until it is completed." }),
  bytes: count.meta({ description: "With the stored files; 0 until it is completed." }),
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
