import { z } from "zod";
import { noRows, type StorageKind, storageKinds } from "../../../core/storage";

const PerKind = z.record(z.enum(storageKinds), z.number().int());

const some = (own: Partial<Record<StorageKind, number>>) => ({ ...noRows(), ...own });

export const ProjectUsage = z
  .object({
    database: z.string().meta({ description: "The binding of the database with the project's rows." }),
    rows: PerKind.meta({
      description: "How many there are of each kind. `other` has the rows of indexes, choices, contents and counts.",
    }),
    bytes: PerKind.meta({
      description:
        "Estimates: the lengths of what is in the rows, and 150 bytes for the keys of each. Files are exact.",
    }),
    totalBytes: z.number().int(),
    limitBytes: z.number().int().nullable().meta({ description: "`maxStorageMb` in bytes; null without a limit." }),
    countedAt: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "When the last count ended; null before the first. A large project is counted every six hours, every hour from half of " +
          "its limit on, and once a day below a hundredth of it.",
      }),
  })
  .meta({
    id: "ProjectUsage",
    example: {
      database: "DB",
      rows: some({ contacts: 12_000, events: 310_000, emails: 95_000, templates: 40 }),
      bytes: some({ contacts: 3_500_000, events: 75_000_000, emails: 46_000_000, templates: 900_000 }),
      totalBytes: 125_400_000,
      limitBytes: 2_147_483_648,
      countedAt: "2026-01-31T09:00:00.000Z",
    },
  });
