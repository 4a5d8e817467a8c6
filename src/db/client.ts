import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

export type Db = DrizzleD1Database & { $client: D1Database };

/** Two logical databases in one physical: the control tables, and the rows of projects. More shards are more bindings. */
export interface Databases {
  DB: D1Database;
}

const casing = "snake_case";

/** One dialect for drizzle's own queries and for our `sql` statements, so that both name columns the same way. */
export const dialect = new SQLiteAsyncDialect({ casing });

/** The shard a new project is put on. */
export const defaultShard = "main";

export const shards: readonly string[] = [defaultShard];

export function controlDatabase(env: Databases): Db {
  return drizzle(env.DB, { casing });
}

/** The database that holds a project's rows. The only place that knows which binding a shard is. */
export function projectDatabase(env: Databases, shard: string): Db {
  if (shard !== defaultShard) throw new Error(`No database is bound for shard ${shard}`);
  return drizzle(env.DB, { casing });
}
