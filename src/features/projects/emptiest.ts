import { sql } from "drizzle-orm";
import { asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/**
 * Returns the database for a new project: the smallest in bytes, or among equals the one with the fewest projects. A
 * database that does not answer is skipped.
 */
export async function emptiestShard(platform: Platform): Promise<string> {
  const [only, ...others] = platform.shards;
  if (only !== undefined && others.length === 0) return only;
  const [sizes, counts] = await Promise.all([sizesOf(platform), countsOf(platform)]);
  const [emptiest] = sizes.toSorted(
    (a, b) => a.bytes - b.bytes || (counts.get(a.shard) ?? 0) - (counts.get(b.shard) ?? 0),
  );
  if (emptiest === undefined) throw new Error("No database answers");
  return emptiest.shard;
}

async function sizesOf(platform: Platform): Promise<{ shard: string; bytes: number }[]> {
  const asked = platform.shards.map(async (shard) => {
    try {
      // Every answer of D1 contains the size of the database.
      const { meta } = await platform.databaseOf(shard).$client.prepare("SELECT 1").all();
      return [{ shard, bytes: meta.size_after }];
    } catch (error) {
      platform.log("error", "A database does not answer and gets no project", { shard, reason: reasonOf(error) });
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

async function countsOf({ control }: Platform): Promise<Map<string, number>> {
  const counts = await select(
    control,
    sql`SELECT shard, count(*) AS projects FROM projects GROUP BY shard`,
    columns({ shard: asText, projects: asNumber }),
  );
  return new Map(counts.map(({ shard, projects }) => [shard, projects]));
}
