import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { countedProjects, forgetProjects } from "./as-seen";
import { miscounted } from "./counts";
import { databaseOf, shards } from "./database";

/** The kept counts of every project of the file are right. */
export async function expectCounted(): Promise<void> {
  const { results } = await env.DB.prepare("SELECT number FROM projects WHERE deleted_at IS NULL").all<{
    number: number;
  }>();
  const there = new Set(results.map(({ number }) => number));
  const projects = countedProjects().filter((number) => there.has(number));
  for (const shard of shards) expect(await miscounted(databaseOf(shard), projects)).toEqual([]);
}

/** For `afterEach`, where each of many projects is compared with all others: those of the test are counted, and gone. */
export async function countAndForget(): Promise<void> {
  await expectCounted();
  await env.DB.batch([env.DB.prepare("DELETE FROM projects"), env.DB.prepare("DELETE FROM api_keys")]);
  forgetProjects();
}
