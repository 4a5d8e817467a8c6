import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect } from "vitest";
import { wholeApp } from "../../src/app";
import { parseDomain } from "../../src/core/domains/parse-domain";
import { cronDoor, queueDoor } from "../../src/doors";
import { forgetProjects } from "./as-seen";
import { expectCounted } from "./counted";
import { databaseOf, shards } from "./database";
import { limitFaults, watchLimits } from "./limit-check";
import { tenantFaults, watchStatements } from "./tenant-check";

// Files share an isolate, which loads the Worker once; each begins with storage of its own.
await reset();
forgetProjects();
// The test runner fetches what `import()` names, and two requests cannot wait for one fetch.
await Promise.all([parseDomain("example.com"), wholeApp(), import("../../src/http/document"), queueDoor(), cronDoor()]);
const databases = shards.map(databaseOf);
await Promise.all(databases.map((db) => applyD1Migrations(db, env.TEST_MIGRATIONS)));
// The isolate remembers projects by number: none has the number of one in an earlier file.
const first = `INSERT INTO projects (number, id, name, locale, tracking, shard, address_key, created_at, updated_at)
  VALUES (?, 'first', 'First', 'en', 'ENABLED', 'DB', '', 0, 0)`;
await env.DB.batch([env.DB.prepare(first).bind(Date.now()), env.DB.prepare("DELETE FROM projects WHERE id = 'first'")]);

// Sweeps look at every project: what an earlier test left undone must not fall into the hands of a later one.
const leftovers = [
  "UPDATE moves SET stage = 'over' WHERE stage = 'fenced'",
  "DELETE FROM emails WHERE status IN ('QUEUED', 'SENDING')",
  "DELETE FROM rounds WHERE true",
  "DELETE FROM jobs WHERE status IN ('queued', 'processing')",
  "UPDATE events SET next_announce_at = NULL WHERE next_announce_at IS NOT NULL",
  "UPDATE contacts SET snoozed_until = NULL WHERE snoozed_until IS NOT NULL",
  "UPDATE domains SET next_check_at = NULL WHERE next_check_at IS NOT NULL",
  "UPDATE segments SET next_count_at = NULL WHERE next_count_at IS NOT NULL",
  "UPDATE campaign_pages SET recount_at = NULL WHERE recount_at IS NOT NULL",
  "UPDATE workflow_executions SET wake_at = NULL WHERE wake_at IS NOT NULL",
  "UPDATE workflows SET next_tick_at = NULL WHERE next_tick_at IS NOT NULL",
  "UPDATE webhooks SET due_at = NULL WHERE due_at IS NOT NULL",
  "UPDATE segments SET next_compute_at = NULL WHERE next_compute_at IS NOT NULL",
];
// Most tests leave nothing, so one statement looks before these clean up.
const isLeft = leftovers
  .map(
    (statement) =>
      `EXISTS (SELECT 1 FROM ${statement.replace(/^(DELETE FROM|UPDATE) /, "").replace(/ SET .* WHERE/, " WHERE")})`,
  )
  .join(" OR ");
beforeEach(async () => {
  await Promise.all(
    databases.map(async (db) => {
      const found = await db.prepare(`SELECT ${isLeft} AS is_left`).first<number>("is_left");
      if (found) await db.batch(leftovers.map((statement) => db.prepare(statement)));
    }),
  );
});

// Every statement that the product makes names its project, whatever test makes it do so.
watchStatements(env.DB);
afterAll(() => {
  expect(tenantFaults()).toEqual([]);
});

// Nor does one come near a documented limit of D1, nor an invocation or a call of a queue near one of theirs.
watchLimits(env.DB, env.EVENTS_QUEUE);
afterAll(() => {
  expect(limitFaults()).toEqual([]);
});

// Whoever writes contacts or events counts them in the same batch: this is what keeps a verb from forgetting it.
afterAll(expectCounted);
