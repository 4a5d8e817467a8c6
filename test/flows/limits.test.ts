import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { killableDatabase, Process } from "../support/killable";
import { limitFaults } from "../support/limit-check";

/** A check that cannot fail would keep nothing. */
it.each([
  ["parameters", () => env.DB.prepare(`SELECT ${Array(81).fill("?").join(", ")}`).bind(...Array(81).fill(1))],
  ["bytes of SQL", () => env.DB.prepare(`SELECT ? /* ${" ".repeat(80_000)} */`).bind(1)],
  ["bytes in one value", () => env.DB.prepare("SELECT ?").bind("é".repeat(850_000))],
])("a statement is found out that comes near the limit of %s", (what, prepare) => {
  expect(limitFaults()).toEqual([]);
  prepare();
  expect(limitFaults()).toEqual([expect.stringContaining(what)]);
});

it("an invocation fails its test before it has made a thousand statements", async () => {
  const database = killableDatabase(env.DB, new Process());
  const some = () => Array.from({ length: 400 }, () => database.prepare("SELECT 1"));
  await database.batch(some());
  await database.batch(some());
  await expect(database.prepare("SELECT 1").all()).rejects.toThrow("801 statements");
});
