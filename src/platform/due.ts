import { type SQL, sql } from "drizzle-orm";
import { asJson, columns } from "../db/rows";
import { selectOne } from "../db/statement";
import type { Platform } from "./context";
import { inRounds } from "./sweep";

/** The condition, in SQL, under which a sweep has something to do in a database. */
export type IsDue = (platform: Platform) => SQL;

/** Returns the condition that at least one row exists. `rows` is a FROM clause with a WHERE clause. */
export function exists(rows: SQL): SQL {
  return sql`EXISTS (SELECT 1 ${rows})`;
}

/**
 * Asks each database, in one statement, which sweeps have something to do there. Returns a map from the name of each
 * sweep to its shards. If a database does not answer, or no statement is left for it, all sweeps count as due there, so
 * that each of them tries, and logs that it failed.
 */
export async function findDue(
  platform: Platform,
  conditions: Record<string, IsDue>,
): Promise<ReadonlyMap<string, string[]>> {
  const names = Object.keys(conditions);
  if (names.length === 0) return new Map();
  const answers = sql.join(
    Object.values(conditions).map((isDue) => sql`(${isDue(platform)})`),
    sql`, `,
  );
  const dueOf = new Map<string, number[]>();
  await inRounds(platform, platform.shards, async (shard) => {
    const due = await ask(platform, shard, answers).catch(() => null);
    if (due !== null) dueOf.set(shard, due);
    return false;
  });
  const isDueAt = (shard: string, index: number) => dueOf.get(shard)?.[index] !== 0;
  return new Map(names.map((name, index) => [name, platform.shards.filter((shard) => isDueAt(shard, index))]));
}

const readDue = columns({ due: asJson<number[]>() });

async function ask(platform: Platform, shard: string, answers: SQL): Promise<number[]> {
  const { due } = await selectOne(platform.databaseOf(shard), sql`SELECT json_array(${answers}) AS due`, readDue);
  return due;
}
