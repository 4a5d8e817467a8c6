import { z } from "zod";

/** The version of the file format. */
export const backupFormat = 1;

/**
 * A count. An uploaded manifest may contain any number, and this limit keeps the sum of many counts within the
 * database's integers.
 */
export const Whole = z
  .number()
  .int()
  .nonnegative()
  .max(Number.MAX_SAFE_INTEGER / 1_000);

/** A time in milliseconds, within the range of a Date. */
export const Time = Whole.max(8.64e15);

const Tally = z.object({ rows: Whole, bytes: Whole, parts: Whole, hash: z.string(), marks: z.string() });

/**
 * Describes the parts of a backup. The manifest is stored last, so a backup without one is incomplete. `project`
 * contains the project's settings by column name.
 */
export const Manifest = z.object({
  format: z.literal(backupFormat),
  takenAt: Time,
  project: z.record(z.string(), z.unknown()),
  id: z.string(),
  /** The project's number. Rows that follow the project's own clock contain it. */
  number: Whole,
  tables: z.record(z.string(), Tally),
  executions: z.record(z.string(), Tally),
  files: Tally,
});
export type Manifest = z.infer<typeof Manifest>;

export function manifestKey(folder: string): string {
  return `${folder}/manifest.json`;
}

/** Returns the number of rows in a backup's tables and executions, and the number of bytes in all its files. */
export function sizeOf({ tables, executions, files }: Pick<Manifest, "tables" | "executions" | "files">) {
  const series = [...Object.values(tables), ...Object.values(executions)];
  return {
    rows: series.reduce((sum, each) => sum + each.rows, 0),
    bytes: [...series, files].reduce((sum, each) => sum + each.bytes, 0),
  };
}
