import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";
import { type Id, newId, readId, textOf } from "../../src/core/ids";
import { maxRowsPerStatement } from "../../src/db/limits";
import { findProject } from "../../src/engine/projects/project";
import { listExecutions } from "../../src/features/workflows/executions/list";
import type { ShardAddress } from "../../src/platform/workflow-shards";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { addressOf, newWorkflow } from "../support/workflow";
import { shardStub, World } from "../support/world";

const many = 600;
const hourMs = 60 * 60_000;

/** So many people, whose executions are all in the shard of the first: a shard takes whom it is given. */
async function manyPeople(project: TestProject, count = many): Promise<{ ids: Id[]; address: ShardAddress }> {
  const ids = Array.from({ length: count }, () => newId());
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?, value, 'p' || key || '@example.com', 1, '{}', 0, 0 FROM json_each(?)`,
    )
    .bind(project.number, JSON.stringify(ids))
    .run();
  const [first] = ids;
  if (!first) throw new Error("Nobody was made");
  return { ids, address: addressOf(project, first) };
}

async function statuses(project: TestProject): Promise<Record<string, number>> {
  const { results } = await project.db
    .prepare("SELECT status, count(*) AS n FROM workflow_executions WHERE project_id = ? GROUP BY 1")
    .bind(project.number)
    .all<{ status: string; n: number }>();
  return Object.fromEntries(results.map(({ status, n }) => [status, n]));
}

/** What is the same of an execution in its object and in the mirror. */
const shared = "id, status, step_id, exit_reason, wake_at, completed_at, updated_at, version";

async function mirrorOf(project: TestProject): Promise<{ id: Id }[]> {
  const { results } = await project.db
    .prepare(
      `SELECT ${shared.replace("step_id", "current_step_id AS step_id")} FROM workflow_executions
        WHERE project_id = ? ORDER BY id`,
    )
    .bind(project.number)
    .all<{ id: string; step_id: string }>();
  return results.map((row) => ({ ...row, id: readId(row.id), step_id: readId(row.step_id) }));
}

async function kept(address: ShardAddress): Promise<unknown[]> {
  return runInDurableObject(shardStub(address), (_, { storage: { sql } }) =>
    sql.exec(`SELECT ${shared} FROM executions ORDER BY id`).toArray(),
  );
}

/** Does something while the shards die at the n-th thing that they do outside. Returns whether they have come to it. */
async function dyingAt(world: World, death: Death, work: () => Promise<void>): Promise<boolean> {
  const platformOf = world.shardPlatform;
  const { platform, process } = world.process(death);
  world.shardPlatform = () => platform;
  const killed = await work().then(() => false, wasKilled);
  world.shardPlatform = platformOf;
  expect(killed).toBe(process.steps.length >= death.atStep);
  return killed;
}

describe("a shard with many executions", () => {
  it("cancels all that had begun, piece by piece, and lets others in", async () => {
    const [world, project] = [new World(), await newProject()];
    const workflow = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
      ways: [["TRIGGER", "later"]],
    });
    const { ids, address } = await manyPeople(project);
    const { workflowShards } = world.process().platform;
    const shard = workflowShards.of(address);
    const [late, ...early] = ids;
    if (!late) throw new Error("Nobody was made");
    const starts = { workflowId: workflow.id, allowReentry: false };
    await shard.startMany(address, { ...starts, contactIds: early, tick: 1 });
    const calls = await Promise.all([
      shard.cancelAll(address, workflow.id, "Cancelled"),
      shard.startMany(address, { ...starts, contactIds: [late], tick: 1 }),
    ]);
    expect(calls[0]).toBe(early.length);
    await shard.poke(address);
    expect(await statuses(project)).toEqual({ CANCELLED: early.length, WAITING: 1 });
    const { later = late } = workflow.steps;
    expect(await shard.countSteps(address, workflow.id, [later])).toEqual([
      { stepId: later, entered: many, waiting: 1, completed: 0, failed: 0, skipped: early.length, branches: [] },
    ]);
    expect(await shard.cancelAll(address, workflow.id, "Cancelled")).toBe(1);
  });

  it.each(["before", "after"] as const)(
    "dies as it cancels, and nobody is cancelled by half: %s each step",
    async (when) => {
      const world = new World();
      let deaths = 0;
      for (let atStep = 1; ; atStep++) {
        const project = await newProject();
        const workflow = await newWorkflow(project, {
          steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
          ways: [["TRIGGER", "later"]],
        });
        const { ids: contactIds, address } = await manyPeople(project, 20);
        const shard = world.process().platform.workflowShards.of(address);
        const starts = { workflowId: workflow.id, allowReentry: true, contactIds };
        await shard.startMany(address, { ...starts, tick: 1 });
        const hasDied = await dyingAt(world, { atStep, when }, () =>
          shard.cancelAll(address, workflow.id, "Cancelled").then(() => {}),
        );
        await evictDurableObject(shardStub(address));
        world.now += 10_000;
        await world.ring(address);
        expect(await mirrorOf(project), `killed ${when} step ${atStep}`).toEqual(await kept(address));
        await shard.cancelAll(address, workflow.id, "Cancelled");
        expect(await statuses(project)).toEqual({ CANCELLED: 20 });
        await shard.startMany(address, { ...starts, tick: 2 });
        expect(await statuses(project)).toEqual({ CANCELLED: 20, WAITING: 20 });
        expect(await shard.countSteps(address, workflow.id, Object.values(workflow.steps))).toContainEqual(
          expect.objectContaining({ entered: 40, waiting: 20, skipped: 20 }),
        );
        if (!hasDied) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThan(0);
    },
  );

  it("shows whom it has cancelled before it answers of one of them", async () => {
    const [world, project] = [new World(), await newProject()];
    const workflow = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
      ways: [["TRIGGER", "later"]],
    });
    const { ids: contactIds, address } = await manyPeople(project, 20);
    const shard = world.process().platform.workflowShards.of(address);
    await shard.startMany(address, { workflowId: workflow.id, allowReentry: false, contactIds, tick: 1 });
    const [{ id } = workflow] = await mirrorOf(project);
    // It dies when it has cancelled them, and before it shows it.
    await dyingAt(world, { atStep: 1, when: "before" }, () =>
      shard.cancelAll(address, workflow.id, "Cancelled").then(() => {}),
    );
    expect(await statuses(project)).toEqual({ WAITING: 20 });
    const [view] = await shard.get(address, [id]);
    expect(view).toMatchObject({ status: "CANCELLED", exitReason: "Cancelled" });
    expect(view?.steps).toMatchObject([
      { status: "COMPLETED" },
      { status: "SKIPPED", reason: "Cancelled", completedAt: view?.completedAt, scheduledFor: null },
    ]);
    expect(await statuses(project)).toEqual({ CANCELLED: 20 });
  });

  it("shows also those as cancelled whom the mirror has never had", async () => {
    const [world, project] = [new World(), await newProject()];
    const workflow = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
      ways: [["TRIGGER", "later"]],
    });
    const { ids, address } = await manyPeople(project);
    const shard = world.process().platform.workflowShards.of(address);
    // The pump dies at its first look into the database.
    const platformOf = world.shardPlatform;
    world.shardPlatform = () => world.process({ atStep: 1, when: "before" }).platform;
    await shard.startMany(address, { workflowId: workflow.id, allowReentry: false, contactIds: ids, tick: 1 });
    world.shardPlatform = platformOf;
    expect(await statuses(project)).toEqual({});
    expect(await shard.cancelAll(address, workflow.id, "Cancelled")).toBe(many);
    expect(await statuses(project)).toEqual({ CANCELLED: many });
  });

  it("answers that nobody is active once the mirror shows it, also after a call that failed", async () => {
    const [world, project] = [new World(), await newProject()];
    const workflow = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
      ways: [["TRIGGER", "later"]],
    });
    const { ids: contactIds, address } = await manyPeople(project);
    const { platform } = world.process();
    const shard = platform.workflowShards.of(address);
    const cancelAll = () => shard.cancelAll(address, workflow.id, "Cancelled");
    // The shard knows its project. Its database is away: nothing is shown, neither by the pump nor by the call.
    await findProject(platform, project.number);
    world.outShard = (await world.context(project)).ctx.project.shard;
    await shard.startMany(address, { workflowId: workflow.id, allowReentry: false, contactIds, tick: 1 });
    await expect(cancelAll()).rejects.toThrow();
    world.outShard = null;
    // The others were in the first piece.
    expect(await cancelAll()).toBe(many - 500);
    expect(await statuses(project)).toEqual({ CANCELLED: many });
  });

  it("forgets those of a workflow that is gone, piece by piece, and no others", async () => {
    const [world, project] = [new World(), await newProject()];
    const gone = await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
    const stays = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "hours" }] },
      ways: [["TRIGGER", "later"]],
    });
    // So many that each piece ends among the rows of both.
    const { ids, address } = await manyPeople(project, 1_100);
    const shard = world.process().platform.workflowShards.of(address);
    for (const { id: workflowId } of [gone, stays]) {
      await shard.startMany(address, { workflowId, allowReentry: false, contactIds: ids, tick: 1 });
    }
    await world.drain();
    expect(await statuses(project)).toEqual({ EXITED: ids.length, WAITING: ids.length });
    // A call dies in the second piece, and the next one goes on there.
    const pieces: string[] = [];
    await runInDurableObject(shardStub(address), (_, { storage }) => {
      const { sql } = storage;
      const exec = (query: string, ...values: unknown[]) => {
        if (/max\(id\) AS last FROM .* FROM executions/.test(query)) {
          pieces.push(String(values[0]));
          if (pieces.length === 2) throw new Error("The object was lost");
        }
        return sql.exec(query, ...values);
      };
      Object.defineProperty(storage, "sql", { value: { exec } });
    });
    await expect(shard.forgetWorkflow(address, gone.id)).rejects.toThrow("was lost");
    await shard.forgetWorkflow(address, gone.id);
    const [first, second, third] = pieces;
    expect([first, third]).toEqual(["", second]);
    expect(pieces).toHaveLength(4);
    await world.ring(address);
    expect(await statuses(project)).toEqual({ WAITING: ids.length });
    const kept = await runInDurableObject(shardStub(address), (_, { storage: { sql } }) =>
      ["executions", "entries"].map((table) =>
        sql.exec(`SELECT workflow_id, count(*) AS n FROM ${table} GROUP BY 1`).toArray(),
      ),
    );
    const rows = [{ workflow_id: textOf(stays.id), n: ids.length }];
    expect(kept).toEqual([rows, rows]);
    expect(await shard.countSteps(address, gone.id, Object.values(gone.steps))).toEqual([]);
  });

  it("moves each once, in rounds: nobody twice, nobody never", async () => {
    const [world, project] = [new World(), await newProject()];
    const workflow = await newWorkflow(project, {
      steps: {
        later: ["DELAY", { amount: 1, unit: "hours" }],
        note: ["UPDATE_CONTACT", { data: { n: "{{ n | plus: 1 }}" } }],
        exit: ["EXIT", { reason: "Done" }],
      },
      ways: [
        ["TRIGGER", "later"],
        ["later", "note"],
        ["note", "exit"],
      ],
    });
    const { ids, address } = await manyPeople(project);
    const shard = world.process().platform.workflowShards.of(address);
    const [half, rest] = [ids.slice(0, many / 2), ids.slice(many / 2)];
    const starts = { workflowId: workflow.id, allowReentry: false, tick: 1 };
    await shard.startMany(address, { ...starts, contactIds: half });
    world.now += hourMs;
    // Those whose time has come, and those who begin, take their turns beside each other; who was there already is not let in.
    await shard.startMany(address, { ...starts, contactIds: ids });
    expect(await statuses(project)).toEqual({ EXITED: half.length, WAITING: rest.length });
    world.now += hourMs;
    await world.ring(address);
    expect(await statuses(project)).toEqual({ EXITED: many });
    const { results } = await project.db
      .prepare("SELECT data, count(*) AS n FROM contacts WHERE project_id = ? GROUP BY 1")
      .bind(project.number)
      .all();
    expect(results).toEqual([{ data: '{"n":"1"}', n: many }]);
    const counted = await shard.countSteps(address, workflow.id, Object.values(workflow.steps));
    expect(counted.map(({ entered, completed }) => [entered, completed])).toEqual(
      Object.keys(workflow.steps).map(() => [many, many]),
    );
  });
});

it("of a workflow are counted to the last, and no statement reads more than 25,000 rows", async () => {
  const [world, project] = [new World(), await newProject()];
  const { id } = await newWorkflow(project);
  const executions = Array.from({ length: 50_001 }, () => newId());
  for (const part of chunksOf(executions, 20_000)) {
    await project.db
      .prepare(
        `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, clock, started_at, updated_at)
          SELECT ?, ?, value, value, 0, iif(key % 2, 'WAITING', 'EXITED'), 0, 0, 0 FROM json_each(?)`,
      )
      .bind(project.number, textOf(id), JSON.stringify(part))
      .run();
  }
  const { ctx, process } = await world.context(project);
  const newestFirst = executions.toSorted().toReversed();
  const pageSize = 7;
  // The second of these pages begins in one part and ends in the next; the fourth is the last.
  for (const page of [1, 1_786, 5_000, 7_143, 7_144]) {
    const listed = await listExecutions(ctx, id, { page, pageSize });
    expect([page, listed.total, listed.executions.map((execution) => execution.id)]).toEqual([
      ...[page, 50_001],
      newestFirst.slice((page - 1) * pageSize, page * pageSize),
    ]);
  }
  const waiting = await listExecutions(ctx, id, { page: 2, pageSize: 10, status: "WAITING" });
  expect([waiting.total, waiting.executions.length]).toEqual([25_000, 10]);
  expect(process.mostRowsRead).toBeLessThanOrEqual(maxRowsPerStatement + 10);
});
