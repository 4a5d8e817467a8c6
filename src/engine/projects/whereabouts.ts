import { sql } from "drizzle-orm";
import { asFlag, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

interface Whereabouts {
  shard: string;
  /** Its deletion has begun. */
  isEnding: boolean;
}

/** Where projects have their rows, by their ids. Those that are gone are not among them. */
export async function findWhereabouts({ control }: Platform, ids: Iterable<string>): Promise<Map<string, Whereabouts>> {
  const asked = JSON.stringify([...new Set(ids)]);
  if (asked === "[]") return new Map();
  const rows = await select(
    control,
    sql`SELECT id, shard, deleted_at IS NOT NULL AS is_ending FROM projects
      WHERE id IN (SELECT value FROM json_each(${asked}))`,
    columns({ id: asText, shard: asText, isEnding: asFlag }),
  );
  return new Map(rows.map(({ id, ...where }) => [id, where]));
}
