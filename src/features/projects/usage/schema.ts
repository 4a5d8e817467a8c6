import { z } from "zod";
import { noRows, type StorageKind, storageKinds } from "../../../core/storage";

const PerKind = z.record(z.enum(storageKinds), z.number().int());

const some = (own: Partial<Record<StorageKind, number>>) => ({ ...noRows(), ...own });

export const ProjectUsage = z
  .object({
    database: z.string().meta({ description: "The binding of the database that holds the project's rows." }),
    rows: PerKind.meta({
      description: "The number of rows of each kind. `other` counts indexes, choices, contents and counts.",
    }),
    bytes: PerKind.meta({
      description:
        "The estimated bytes of each kind: the length of the data, and 150 bytes of keys per row. The size " +
        "of files is exact.",
    }),
    totalBytes: z.number().int(),
    limitBytes: z
      .number()
      .int()
      .nullable()
      .meta({ description: "`maxStorageMb` in bytes. Null if there is no limit." }),
    countedAt: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "When the last count ended. Null before the first. A large project is counted every six hours, " +
          "hourly above half of its limit, and daily below a hundredth of it.",
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
