import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { projectDatabase, shardsOf } from "../../src/db/client";
import { asSeen } from "./as-seen";

export const shards = shardsOf(env);

/**
 * Where the projects of the current test live: on one of the two databases, by a hash of its name, and with
 * PETREL_TEST_SWAP=1 on the other one. So half of the tests find out what forgets that there is more than one.
 */
export function shardOfTest(): string {
  const name = expect.getState().currentTestName ?? "";
  const hash = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  return shardAt(hash + Number(env.PETREL_TEST_SWAP));
}

/** Where a neighbour lives who has nothing but the installation in common with the projects of the current test. */
export function otherShard(): string {
  return shardAt(shards.indexOf(shardOfTest()) + 1);
}

function shardAt(index: number): string {
  const shard = shards[index % shards.length];
  if (shard === undefined) throw new Error("The test world has no databases");
  return shard;
}

/** As the product has it. Tests look into `databases`, `control` and the `db` of a project. */
export function databaseOf(shard: string): D1Database {
  return projectDatabase(env, shard).$client;
}

export const databases = shards.map((shard) => asSeen(databaseOf(shard)));

/** The control tables: projects, keys, and what is global. */
export const control = asSeen(env.DB);

/** Where a project lives of which only the id is at hand, or the number that rows have. */
export async function databaseWith(idOrNumber: string | number): Promise<D1Database> {
  const found = await env.DB.prepare("SELECT shard, number FROM projects WHERE id = ?1 OR number = ?1")
    .bind(idOrNumber)
    .first<{ shard: string; number: number }>();
  return asSeen(databaseOf(found?.shard ?? "DB"), found?.number);
}
