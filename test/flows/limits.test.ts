import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { controlDatabase } from "../../src/db/client";
import { noRows, prepare, statement } from "../../src/db/statement";
import { killableDatabase, Process } from "../support/killable";
import { limitFaults } from "../support/limit-check";

/** A check that cannot fail would keep nothing. */
it.each([
  ["parameters", sql`SELECT ${sql.join(Array(81).fill(sql`${1}`), sql`, `)}`],
  ["bytes of SQL", sql`SELECT ${1} ${sql.raw(`/* ${" ".repeat(80_000)} */`)}`],
  ["bytes in one value", sql`SELECT ${"é".repeat(850_000)}`],
])("a statement is found out that comes near the limit of %s", (what, query) => {
  expect(limitFaults()).toEqual([]);
  prepare(controlDatabase(env), statement(query, noRows));
  expect(limitFaults()).toEqual([expect.stringContaining(what)]);
});

it("an invocation fails its test before it has made a thousand statements", async () => {
  const database = killableDatabase(env.DB, new Process());
  const some = () => Array.from({ length: 400 }, () => database.prepare("SELECT 1"));
  await database.batch(some());
  await database.batch(some());
  await expect(database.prepare("SELECT 1").all()).rejects.toThrow("801 statements");
});
