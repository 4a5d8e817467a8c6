import type { QueryWithTypings, SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Spent } from "./spent";
import { textOf } from "./sql-text";

/** A database. If it was opened for an invocation, `spent` counts the queries that the invocation makes. */
export type Db = DrizzleD1Database & { $client: D1Database; spent?: Spent };

/**
 * The control database, which also holds rows of projects, and the further databases `DB_01` to `DB_99` that are bound.
 */
export interface Databases {
  DB: D1Database;
  [further: `DB_${string}`]: D1Database | undefined;
}

export const casing = "snake_case";

class Dialect extends SQLiteAsyncDialect {
  override sqlToQuery(query: SQL): QueryWithTypings {
    return textOf(query) ?? super.sqlToQuery(query);
  }
}

/** The dialect of our `sql` statements. It names columns in the same way as drizzle's own queries. */
export const dialect = new Dialect({ casing });

/** The control shard, which always exists. The name of a shard is the name of its binding. */
export const controlShard = "DB";

export function controlDatabase(env: Databases): Db {
  return open(env.DB);
}

/** Returns the database with the rows of a project. */
export function projectDatabase(env: Databases, shard: string): Db {
  const database = isShard(shard) ? env[shard] : undefined;
  if (!database) throw new Error(`No database is bound as ${shard}`);
  return open(database);
}

/** Returns the names of all databases that hold projects. Only the bindings of wrangler.toml decide which exist. */
export function shardsOf(env: Databases): readonly string[] {
  const known = shards.get(env);
  if (known) return known;
  const found = Object.keys(env).filter(isShard).toSorted();
  shards.set(env, found);
  return found;
}

const shards = new WeakMap<Databases, readonly string[]>();

function isShard(name: string): name is keyof Databases {
  return /^DB(_(0[1-9]|[1-9]\d))?$/.test(name);
}

const opened = new WeakMap<D1Database, Db>();

/**
 * Opens a database only once per binding and isolate, and not for each request, because drizzle creates a dialect and a
 * session each time.
 */
function open(database: D1Database): Db {
  const known = opened.get(database);
  if (known) return known;
  const db = drizzle(database, { casing });
  opened.set(database, db);
  return db;
}

/** Returns a view of the database for one invocation. `select` counts the queries that it makes through this view. */
export function countedIn(spent: Spent, db: Db): Db {
  // A view and not a copy: drizzle's state remains on the original object, which the isolate opened once.
  return Object.assign(Object.create(db) as Db, { spent });
}
