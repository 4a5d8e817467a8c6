import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { shardMigrations } from "../../src/engine/workflows/shard/tables";
import { cancelAllExecutions } from "../../src/features/workflows/executions/cancel";
import { listExecutions } from "../../src/features/workflows/executions/list";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import { type Allowed, expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { newTemplate } from "../support/template";
import { addressOf, executionsOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const hourMs = 60 * 60_000;

/** The runs, mails or events of one round or message: a hundred at most. */
const itemsOfRound: Allowed = { sql: /json_each\(\?\)/, step: /TEMP B-TREE FOR (ORDER BY|GROUP BY|json_group_array)/ };

/** Collects the statements of a shard, each with the steps of its plan. */
async function watchPlans(address: ShardAddress): Promise<Map<string, string[]>> {
  const plans = new Map<string, string[]>();
  await runInDurableObject(shardStub(address), (_, { storage }) => {
    const { sql } = storage;
    const exec = (query: string, ...values: unknown[]) => {
      if (!/^CREATE/.test(query) && !plans.has(query)) {
        const steps = sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values).toArray();
        plans.set(
          query,
          steps.map(({ detail }) => detail),
        );
      }
      return sql.exec(query, ...values);
    };
    Object.defineProperty(storage, "sql", { value: { exec } });
  });
  return plans;
}

it("goes through every type of step without walking through what a project already has", async () => {
  const [world, project] = [new World(), await newProject()];
  const { id: templateId } = await newTemplate(project, { type: "MARKETING" });
  const { id } = await newWorkflow(project, {
    steps: {
      mail: ["SEND_EMAIL", {}, { templateId }],
      later: ["DELAY", { amount: 1, unit: "hours" }],
      check: ["CONDITION", { field: "data.plan", operator: "equals", value: "pro" }],
      note: ["UPDATE_CONTACT", { data: { n: "{{ plan }}" }, subscribed: false }],
      back: ["UPDATE_CONTACT", { data: { n: "again" }, subscribed: true }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 3_600 }],
      exit: ["EXIT", { reason: "Done" }],
    },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "later"],
      ["later", "check"],
      ["check", "note", "yes"],
      ["note", "back"],
      ["back", "wait"],
      ["wait", "exit"],
    ],
  });
  const { contactId } = await track(world, project, "signup", { data: { plan: "pro" } });
  const plans = await watchPlans(addressOf(project, contactId));
  const { contactId: other } = await track(world, project, "signup", { email: "bob@example.com" });
  await world.drain();
  world.now += hourMs;
  await world.ring(addressOf(project, contactId));
  await world.ring(addressOf(project, other));
  await track(world, project, "purchase");
  await world.drain();
  const [execution] = await executionsOf(world, project, contactId);
  expect(execution).toMatchObject({ status: "EXITED", exitReason: "Done" });
  const { ctx } = await world.context(project);
  await listExecutions(ctx, id, { page: 1, pageSize: 20, status: "EXITED" });
  await track(world, project, "signup", { email: "carol@example.com" });
  await world.drain();
  expect(await cancelAllExecutions(ctx, id)).toBe(1);
  await world.sweep();
  const statements = [...new Map(world.statements.map((one) => [one.sql, one])).values()];
  await expectBounded(
    statements.filter(({ sql }) => /workflow_|json_each/.test(sql)),
    [itemsOfRound],
  );
  // In the object, too: what is scanned are the items of one call or round.
  expect(plans.size).toBeGreaterThan(25);
  const asked = /^SELECT id FROM executions WHERE wake_at IS NOT NULL\s+UNION ALL .* LIMIT 1$/;
  // An object runs these once.
  const migrations = new Set(shardMigrations.flat());
  const scans = [...plans].filter(
    ([sql, steps]) =>
      !asked.test(sql) &&
      !migrations.has(sql) &&
      steps.some((step) => /^SCAN (executions|outputs|entries|events|seen|step_counts|e|o)\b/.test(step)),
  );
  expect(scans).toEqual([]);
});
