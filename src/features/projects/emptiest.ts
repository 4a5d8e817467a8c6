import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { isAlmostFull } from "../../core/operating/fullness";
import { asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import { DatabaseAway } from "../../db/trouble";
import { databaseSize } from "../../engine/operating/database-size";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/**
 * Returns the database for a new project: the smallest in bytes, or among equals the one with the fewest projects.
 * Skips databases that do not answer, and those that are 95 % full. An installation with a single database uses it even
 * when it does not answer. Throws Conflict when all are full, and DatabaseAway when none answers.
 */
export async function emptiestShard(platform: Platform): Promise<string> {
  const sizes = await sizesOf(platform);
  const [only, ...others] = platform.shards;
  // The control database is the only database. If it is away, the batch that creates the project fails or is repeated.
  if (sizes.length === 0 && only !== undefined && others.length === 0) return only;
  if (sizes.length === 0) throw new DatabaseAway("none");
  const open = sizes.filter(({ bytes }) => !isAlmostFull(bytes));
  if (open.length === 0) throw full(platform.shards.length);
  const counts = open.length === 1 ? new Map<string, number>() : await countsOf(platform);
  const projectsOn = (shard: string) => counts.get(shard) ?? 0;
  return open.reduce((best, each) => {
    const isSmaller = each.bytes - best.bytes || projectsOn(each.shard) - projectsOn(best.shard);
    return isSmaller < 0 ? each : best;
  }).shard;
}

function full(databases: number): Conflict {
  const which = databases === 1 ? "The database is" : "All databases are";
  return new Conflict(`${which} more than 95 % full, so there is no room for a new project. Nothing was created.`, {
    suggestion: "Bind another database in petrel.toml (DB_01 to DB_99) and deploy: new projects are created there.",
  });
}

async function sizesOf(platform: Platform): Promise<{ shard: string; bytes: number }[]> {
  const asked = platform.shards.map(async (shard) => {
    try {
      return [{ shard, bytes: await databaseSize(platform.databaseOf(shard)) }];
    } catch (error) {
      platform.log("error", "A database does not say its size", { shard, reason: reasonOf(error) });
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
