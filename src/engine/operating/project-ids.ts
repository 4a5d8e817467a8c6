import { sql } from "drizzle-orm";
import { asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** Returns the public ids of projects by their numbers. Deleted projects are left out. */
export async function projectIds({ control }: Platform, numbers: readonly number[]): Promise<Map<number, string>> {
  const rows = await select(
    control,
    sql`SELECT number, id FROM projects WHERE deleted_at IS NULL
      AND number IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`,
    columns({ number: asNumber, id: asText }),
  );
  return new Map(rows.map(({ number, id }) => [number, id]));
}
