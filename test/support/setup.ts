import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect } from "vitest";
import { databases } from "./database";
import { tenantFaults, watchStatements } from "./tenant-check";

// Files share an isolate, which loads the Worker once; each begins with storage of its own.
await reset();
await Promise.all(databases.map((db) => applyD1Migrations(db, env.TEST_MIGRATIONS)));

// Sweeps look at every project: what an earlier test left undone must not fall into the hands of a later one.
const leftovers = [
  "DELETE FROM emails WHERE status IN ('QUEUED', 'SENDING')",
  "DELETE FROM jobs WHERE status IN ('queued', 'processing')",
  "UPDATE events SET dispatched_at = 0 WHERE dispatched_at IS NULL",
  "UPDATE contacts SET snoozed_until = NULL WHERE snoozed_until IS NOT NULL",
  "UPDATE domains SET next_check_at = NULL WHERE next_check_at IS NOT NULL",
  "UPDATE segments SET next_count_at = NULL WHERE next_count_at IS NOT NULL",
  "UPDATE segments SET next_compute_at = NULL WHERE next_compute_at IS NOT NULL",
];
beforeEach(async () => {
  await Promise.all(databases.map((db) => db.batch(leftovers.map((statement) => db.prepare(statement)))));
});

// Every statement that the product makes names its project, whatever test makes it do so.
watchStatements(env.DB);
afterAll(() => {
  expect(tenantFaults()).toEqual([]);
});
