import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { asId, newId, publicId, readId } from "../../src/core/ids";
import { walkActive } from "../../src/engine/workflows/shard/active";
import { moveExecution } from "../../src/engine/workflows/shard/moves";
import { findExecution } from "../../src/engine/workflows/shard/rows";
import { openStore, readIdRow } from "../../src/engine/workflows/shard/store";
import { replaceDocument } from "../../src/features/workflows/document/replace";
import { PutDocument } from "../../src/features/workflows/document/schema";
import { handleMessage } from "../../src/queue";
import { intrude } from "../support/intrude";
import { wasKilled } from "../support/killable";
import { newProject } from "../support/project";
import { sample } from "../support/sample";
import { move, newTestClock } from "../support/test-clock";
import { addressOf } from "../support/workflow";
import {
  getDocument,
  newDocument,
  putDocument,
  type Sent,
  secondDay,
  standAt,
  stepIds,
  twoDays,
} from "../support/workflow-document";
import { shardStub, World } from "../support/world";

/** A workflow of two days, and people whose executions are all in one shard: it takes whom it is given. */
async function begin(world: World, count: number, document = twoDays()) {
  const project = await newProject();
  const id = await newDocument(project, document);
  const keys = new Map(Object.entries(await stepIds(project, id)).map(([key, stepId]) => [stepId, key]));
  const contactIds = Array.from({ length: count }, () => newId());
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?, value, 'p' || key || '@example.com', 1, '{}', 0, 0 FROM json_each(?)`,
    )
    .bind(project.number, JSON.stringify(contactIds))
    .run();
  const address = addressOf(project, contactIds[0] ?? newId());
  const shard = world.process().platform.workflowShards.of(address);
  /** How many executions stand where, as their object has them, which the mirror shows as well. */
  const standings = async () => {
    const own = await runInDurableObject(shardStub(address), (_, { storage: { sql } }) =>
      sql.exec<Row>("SELECT status, step_id AS current_step_id, exit_reason FROM executions").toArray(),
    );
    const mirror = await project.db
      .prepare("SELECT status, current_step_id, exit_reason FROM workflow_executions WHERE project_id = ?")
      .bind(project.number)
      .all<Row>();
    const counted = (rows: Row[]) => {
      const states = rows.map(({ status, current_step_id: step, exit_reason: why }) =>
        [status, step && keys.get(step), why].filter((part) => part !== null).join(" "),
      );
      return Object.fromEntries([...Map.groupBy(states, (state) => state)].map(([state, all]) => [state, all.length]));
    };
    const shown = own.map((row) => ({
      ...row,
      current_step_id: row.current_step_id && publicId(asId(row.current_step_id)),
    }));
    expect(counted(mirror.results)).toEqual(counted(shown));
    return counted(shown);
  };
  return {
    ...{ project, id, shard, address, standings },
    start: () => shard.startMany(address, { workflowId: readId(id), contactIds, allowReentry: false, tick: 1 }),
    counts: async () => {
      const own = [...keys].filter(([stepId, key]) => key !== stepId).map(([stepId]) => readId(stepId));
      const counted = await shard.countSteps(address, readId(id), own);
      return Object.fromEntries(counted.map(({ stepId, ...rest }) => [keys.get(publicId(stepId)), rest]));
    },
  };
}

type Row = { status: string; current_step_id: string | null; exit_reason: string | null };

const removing = PutDocument.parse(secondDay());
const forced = { isForced: true };
const moved = { isForced: false, moveTo: "second" };

describe("many executions on a step that is removed", () => {
  it.each(sample(["before", "after"] as const, { of: 2 }))(
    "each go on once at another, though the job dies %s each thing that it does",
    async (when) => {
      const [world, many] = [new World(), 650];
      const { project, id, start, standings, counts } = await begin(world, many);
      await start();
      expect(await standings()).toEqual({ "WAITING first": many });
      const { ctx } = await world.context(project);
      await replaceDocument(ctx, readId(id), removing, moved);
      // A shard takes some of them before the answer, and the job the others.
      expect(await standings()).toEqual({ "WAITING first": many - 200, "WAITING second": 200 });
      let deaths = 0;
      for (let atStep = 1; world.queue.length > 0; atStep++) {
        const steps = await world.runAndDie({ atStep, when });
        if (steps.length === atStep) deaths++;
      }
      expect(deaths).toBeGreaterThan(16);
      expect(await standings()).toEqual({ "WAITING second": many });
      expect(await counts()).toEqual({
        first: { entered: many, waiting: 0, completed: 0, failed: 0, skipped: many, branches: [] },
        second: { entered: many, waiting: many, completed: 0, failed: 0, skipped: 0, branches: [] },
      });
      world.now += 24 * 60 * 60_000;
      await world.pass(2);
      expect(await standings()).toEqual({ "COMPLETED second": many });
    },
    60_000,
  );

  it("end, and are counted as skipped", async () => {
    const [world, many] = [new World(), 450];
    const { project, id, start, standings, counts } = await begin(world, many);
    await start();
    const { ctx } = await world.context(project);
    const { jobId } = await replaceDocument(ctx, readId(id), removing, forced);
    await world.drain();
    expect(await standings()).toEqual({ "EXITED first Step was removed": many });
    expect((await counts()).first).toMatchObject({ entered: many, waiting: 0, skipped: many });
    expect((await project.api.get(`/jobs/${jobId && publicId(jobId)}`)).body).toMatchObject({
      ...{ type: "workflows.vacate", status: "completed" },
    });
  });

  it.each(sample(["before", "after"] as const, { of: 2, name: "a" }))(
    "are found by a sweep when the call dies %s anything that it does, or nothing has changed",
    async (when) => {
      const world = new World();
      let [deaths, done] = [0, 0];
      for (let atStep = 1; ; atStep++) {
        const { project, id, start, standings } = await begin(world, 3);
        await start();
        const { ctx, process } = await world.context(project, { atStep, when });
        await replaceDocument(ctx, readId(id), removing, moved).catch((error) => {
          if (!wasKilled(error)) throw error;
        });
        world.queue = [];
        await world.pass(7);
        const { steps } = await getDocument(project, id);
        const isDone = steps.length === 1;
        expect(await standings(), `killed ${when} step ${atStep}`).toEqual({
          [isDone ? "WAITING second" : "WAITING first"]: 3,
        });
        if (isDone) done++;
        if (process.steps.length < atStep) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThan(18);
      expect(done).toBeGreaterThan(16);
    },
    60_000,
  );
});

/** A document that notes something before all else. */
function noting({ steps, transitions, ...document }: Sent): Sent {
  const note = { key: "note", type: "UPDATE_CONTACT", config: { data: { noted: true } } };
  const [first, ...others] = transitions as Sent[];
  return {
    ...document,
    steps: [note, ...(steps as Sent[])],
    transitions: [{ from: "trigger", to: "note" }, { ...first, from: "note" }, ...others],
  };
}

describe("executions that come to a step as it is removed", () => {
  it("go on where the workflow leads now, or end, and nobody waits at a step that is gone", async () => {
    const world = new World();
    const ends = new Set<string>();
    for (let atStep = 1; ; atStep++) {
      const { project, id, start, standings } = await begin(world, 3, noting(twoDays()));
      let jobId: string | null = null;
      const { hasHappened } = intrude(world, atStep, async () => {
        jobId = (await putDocument(project, id, noting(secondDay()))).body.jobId ?? null;
      });
      await start();
      if (!hasHappened()) break;
      world.shardPlatform = () => world.process().platform;
      const { platform } = world.process();
      if (jobId) {
        const message = { type: "workflows.vacate" as const, projectId: project.number, jobId: readId(jobId) };
        await handleMessage(platform, message, []);
      }
      const found = Object.keys(await standings());
      for (const end of found) ends.add(end);
      // It was refused where they stood there already.
      const left = (await getDocument(project, id)).steps.length;
      if (left === 2) expect(found, `at ${atStep}`).not.toContain("WAITING first");
    }
    expect([...ends]).toEqual(expect.arrayContaining(["WAITING second", "EXITED first Step was removed"]));
  });
});

describe("a project with its own clock", () => {
  it("has executions go on from the time at which their step was removed", async () => {
    const clock = await newTestClock();
    const { project } = clock;
    const id = await newDocument(project, twoDays());
    const execution = await standAt(project, id, "first", "ada@example.com");
    await move(clock, { advance: "12h" });
    expect((await putDocument(project, id, secondDay(), "?moveTo=second")).status).toBe(200);
    await move(clock, { advance: "23h" });
    expect((await project.api.get(execution)).body.status).toBe("WAITING");
    await move(clock, { advance: "1h" });
    expect((await project.api.get(execution)).body.status).toBe("COMPLETED");
  });
});

/** Adds executions to a shard that are like its first one, but for some columns, each an expression of a `value`. */
function addAlike({ sql }: DurableObjectStorage, count: number, columns: Record<string, string>): void {
  const names = sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('executions')").toArray();
  const own = names.map(({ name }) => columns[name] ?? `e.${name}`).join(", ");
  const numbers = JSON.stringify(Array.from({ length: count }, (_, n) => n));
  sql.exec(`INSERT INTO executions SELECT ${own} FROM (SELECT * FROM executions LIMIT 1) e, json_each(?)`, numbers);
}

describe("among many executions that have ended", () => {
  it("a cancellation and the removal of a step read only those that have not", async () => {
    const [world, many] = [new World(), 20];
    const { id, shard, address, start } = await begin(world, many);
    await start();
    const cursors: { rowsRead: number }[] = [];
    await runInDurableObject(shardStub(address), (_, { storage }) => {
      addAlike(storage, 5_000, {
        ...{ id: "printf('%s%021d', iif(value % 2, '-', 'z'), value)", contact_id: "value", status: "'COMPLETED'" },
        ...{ completed_at: "1", ended_at: "1", wake_at: "NULL", awaits: "NULL", needs: "NULL", change: "1" },
      });
      const { sql } = storage;
      const exec = (query: string, ...values: unknown[]) => {
        const cursor = sql.exec(query, ...values);
        cursors.push(cursor);
        return cursor;
      };
      Object.defineProperty(storage, "sql", { value: { exec } });
    });
    const rowsRead = () => cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsRead, 0);
    let calls = 0;
    for (let after: string | null = ""; after !== null; calls++) {
      after = await shard.vacate(address, { workflowId: readId(id), stepIds: [newId()], to: null, after });
    }
    expect(calls).toBe(3);
    expect(rowsRead()).toBeLessThan(20 * many);
    expect(await shard.cancelAll(address, newId(), "Cancelled")).toBe(0);
    expect(rowsRead()).toBeLessThan(20 * many);
    expect(await shard.cancelAll(address, readId(id), "Cancelled")).toBe(many);
    expect(rowsRead()).toBeLessThan(40 * many);
  });

  it("a walk over those that have not returns each, however it waits and wherever it moves meanwhile", async () => {
    const { address, start } = await begin(new World(), 1);
    await start();
    await runInDurableObject(shardStub(address), (_, { storage }) => {
      const store = openStore(storage, Date.now);
      const [id, at] = ["printf('%s%021d'", `${Date.now()} + 1000 * value`];
      addAlike(storage, 2_500, { id: `${id}, 't', value)`, contact_id: "value", wake_at: at });
      addAlike(storage, 2_500, { id: `${id}, 'e', value)`, contact_id: "value", wake_at: "NULL", awaits: "'paid'" });
      const active = store.all(readIdRow, "SELECT id FROM executions WHERE completed_at IS NULL");
      const walk = walkActive(store);
      const seen = new Set(walk.next().value);
      expect(seen.size).toBe(2_000);
      // It waited for a time ahead of the walk, and now for one behind it.
      const late = findExecution(store, asId(`t${String(2_499).padStart(21, "0")}`));
      const moved = late && moveExecution(store, late, { ...late, wakeAt: 1 }, 1);
      expect(moved && seen.has(moved.id)).toBe(false);
      for (const ids of walk) for (const id of ids) seen.add(id);
      expect(active.filter(({ id }) => !seen.has(id))).toEqual([]);
      expect(store.walks.size).toBe(0);
    });
  });
});
