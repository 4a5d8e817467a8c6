import { sql } from "drizzle-orm";
import { asFlag, asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

interface Whereabouts {
  shard: string;
  /** Its deletion has begun. */
  isEnding: boolean;
}

/** Where projects have their rows, by their numbers. Those that are gone are not among them. */
export async function findWhereabouts({ control }: Platform, numbers: Iterable<number>): Promise<Map<number, Whereabouts>> {
  const asked = JSON.stringify([...new Set(numbers)]);
  if (asked === "[]") return new Map();
  const rows = await select(
    control,
    sql`SELECT number, shard, deleted_at IS NOT NULL AS is_ending FROM projects
      WHERE number IN (SELECT value FROM json_each(${asked}))`,
    columns({ number: asNumber, shard: asText, isEnding: asFlag }),
  );
  return new Map(rows.map(({ number, ...where }) => [number, where]));
}
