import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import type { QueueMessage } from "../../src/core/messages";
import { openBatch } from "../../src/db/batch";
import { controlDatabase } from "../../src/db/client";
import { asNumber, columns } from "../../src/db/rows";
import { noRows, prepare, select, statement } from "../../src/db/statement";
import { openPlatform } from "../../src/platform/open-platform";
import { openQueues } from "../../src/platform/queues";
import { killableDatabase, Process } from "../support/killable";
import { limitFaults, noteMessages } from "../support/limit-check";

/** A check that cannot fail would keep nothing. */
it.each([
  ["parameters", sql`SELECT ${sql.join(Array(81).fill(sql`${1}`), sql`, `)}`],
  ["bytes of SQL", sql`SELECT ${1} ${sql.raw(`/* ${" ".repeat(80_000)} */`)}`],
  ["bytes in the values of one statement", sql`SELECT ${"é".repeat(850_000)}`],
])("a statement is found out that comes near the limit of %s", (what, query) => {
  expect(limitFaults()).toEqual([]);
  prepare(controlDatabase(env), statement(query, noRows));
  expect(limitFaults()).toEqual([expect.stringContaining(what)]);
});

const text = (bytes: number) => "é".repeat(bytes / 2);

it.each([
  ["bytes of SQL", sql`SELECT ${1} ${sql.raw(`/* ${text(80_000)} */`)}`],
  ["bytes in the values of one statement", sql`SELECT ${text(900_000)}, ${text(900_000)}`],
  ["bytes in a pattern", sql`SELECT '?' LIKE '%?' AND ${1} AND 'a' LIKE ${text(42)}`],
  ["bytes in a pattern", sql`SELECT ${1} GLOB ${sql.raw(`'${"a".repeat(41)}'`)}`],
])("so is one whose letters have several bytes: %s", (what, query) => {
  expect(limitFaults()).toEqual([]);
  prepare(controlDatabase(env), statement(query, noRows));
  expect(limitFaults()).toEqual([expect.stringContaining(what)]);
});

it.each([
  ["SQL", sql`SELECT ${1} ${sql.raw(`/* ${text(79_900)} */`)}`],
  ["values", sql`SELECT ${text(700_000)}, ${text(800_000)}`],
  ["a pattern", sql`SELECT ${text(400)} LIKE ${text(40)} AND '????-??-??' GLOB '??' AND ${text(400)} = 'LIKE ?'`],
])("a statement is let pass that keeps 80 %% of the limit of %s", (_, query) => {
  prepare(controlDatabase(env), statement(query, noRows));
  expect(limitFaults()).toEqual([]);
});

it("an invocation is found out that makes more than 800 statements without a process", async () => {
  const platform = openPlatform(env, createExecutionContext());
  const ask = async (statements: number) => {
    const batch = openBatch({ ...platform, db: platform.control });
    for (let n = 0; n < statements; n++) batch.add(statement(sql`SELECT 1`));
    await batch.commit();
  };
  for (let times = 0; times < 2; times++) await ask(400);
  expect(limitFaults()).toEqual([]);
  await select(platform.control, sql`SELECT 1 AS n`, columns({ n: asNumber }));
  expect(limitFaults()).toEqual([expect.stringContaining("801 statements")]);
  // Once, however many follow.
  await ask(1);
  expect(limitFaults()).toEqual([]);
});

const domainsOf = (bytes: number): QueueMessage => ({
  type: "sweeps.run",
  cron: "nobody's",
  shards: [],
  sweeps: [text(bytes)],
});

it("a message is found out that comes near the limit of queues, and so is a call", async () => {
  const one = { body: domainsOf(102_400) };
  noteMessages([one]);
  expect(limitFaults()).toEqual([expect.stringContaining("bytes in a message")]);
  noteMessages(Array.from({ length: 3 }, () => ({ body: domainsOf(80_000) })));
  expect(limitFaults()).toEqual([expect.stringContaining("bytes in a call")]);
  noteMessages(Array.from({ length: 101 }, () => ({ body: domainsOf(10) })));
  expect(limitFaults()).toEqual([expect.stringContaining("101 messages in a call")]);
  await openQueues(env)(Array.from({ length: 5 }, () => ({ message: domainsOf(60_000) })));
  expect(limitFaults()).toEqual([]);
  await env.EVENTS_QUEUE.sendBatch([one]);
  expect(limitFaults()).toEqual([expect.stringContaining("bytes in a message")]);
});

it("an invocation fails its test before it has made a thousand statements", async () => {
  const database = killableDatabase(env.DB, new Process());
  const some = () => Array.from({ length: 400 }, () => database.prepare("SELECT 1"));
  await database.batch(some());
  await database.batch(some());
  await expect(database.prepare("SELECT 1").all()).rejects.toThrow("801 statements");
});
