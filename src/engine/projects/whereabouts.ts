import { type SQL, sql } from "drizzle-orm";
import type { ProjectMove } from "../../core/operating/project-move";
import { asFlag, asJson, asNumber, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

const readWhereabouts = columns({
  id: asText,
  number: asNumber,
  shard: asText,
  /** The databases of the project's move; null if it has none. Both databases may have rows of the project. */
  move: asJson<ProjectMove | null>(),
  /** Whether the deletion of the project has begun. */
  isEnding: asFlag,
});
type Whereabouts = ReturnType<typeof readWhereabouts>;

/** Returns the databases of projects, by their numbers. Deleted projects are left out. */
export async function whereaboutsByNumber(
  platform: Platform,
  numbers: Iterable<number>,
): Promise<Map<number, Whereabouts>> {
  const found = await findWhereabouts(platform, sql`number`, numbers);
  return new Map(found.map((each) => [each.number, each]));
}

/** Returns the databases of projects by their public ids, for callers that read these ids from the keys of files. */
export async function whereaboutsById(platform: Platform, ids: Iterable<string>): Promise<Map<string, Whereabouts>> {
  const found = await findWhereabouts(platform, sql`id`, ids);
  return new Map(found.map((each) => [each.id, each]));
}

async function findWhereabouts(
  { control }: Platform,
  column: SQL,
  values: Iterable<number | string>,
): Promise<Whereabouts[]> {
  const ids = JSON.stringify([...new Set(values)]);
  if (ids === "[]") return [];
  return select(
    control,
    sql`SELECT id, number, shard, coalesce(move, 'null') AS move, deleted_at IS NOT NULL AS is_ending FROM projects
      WHERE ${column} IN (SELECT value FROM json_each(${ids}))`,
    readWhereabouts,
  );
}
