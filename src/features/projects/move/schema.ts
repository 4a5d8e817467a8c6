import { z } from "zod";

export const MoveProject = z
  .object({
    database: z.string().min(1).max(20).meta({
      description: "The binding of the database to move the project to: `DB`, or one of `DB_01` to `DB_99`.",
    }),
  })
  .meta({ id: "MoveProject", example: { database: "DB_02" } });
export type MoveProject = z.infer<typeof MoveProject>;

const count = z.number().int();

export const MoveResult = z
  .object({
    database: z.string(),
    rows: count.meta({ description: "The number of rows copied." }),
    compared: count.meta({ description: "The number of rows compared in both databases before the switch." }),
    refusedMs: count.meta({ description: "For how many milliseconds writes of the project were refused." }),
  })
  .meta({ id: "MoveResult", example: { database: "DB_02", rows: 214_833, compared: 214_835, refusedMs: 340 } });
