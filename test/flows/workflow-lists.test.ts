import { describe, expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";
import { type Id, newIdAt, textOf } from "../../src/core/ids";
import type { ExecutionStatus } from "../../src/core/workflows/execution";
import { maxRowsPerStatement } from "../../src/db/limits";
import { deleteContact } from "../../src/features/contacts/delete";
import { cancelAllExecutions } from "../../src/features/workflows/executions/cancel";
import { countExecutions } from "../../src/features/workflows/executions/count";
import { listExecutions } from "../../src/features/workflows/executions/list";
import { rowsPerPart } from "../../src/features/workflows/executions/parts";
import { newProject } from "../support/project";
import { addressOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const begun = Date.UTC(2026, 0, 1);
const dayMs = 24 * 60 * 60_000;
const pageSize = 100;

/** A workflow whose executions are rows of the mirror only. */
async function newList() {
  const [world, project] = [new World(), await newProject()];
  const { id } = await newWorkflow(project);
  const { ctx, process } = await world.context(project);
  return {
    process,
    /** Adds executions that began at these times. Returns them, newest first. */
    async add(times: number[], status: ExecutionStatus = "WAITING", stepId: Id | null = null): Promise<Id[]> {
      const ids = times.map((time) => newIdAt(time));
      for (const some of chunksOf(ids, 10_000)) {
        await project.db
          .prepare(
            `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, current_step_id, clock, started_at, updated_at)
              SELECT ?, ?, value, value, 0, ?, ?, 0, 0, 0 FROM json_each(?)`,
          )
          .bind(project.number, textOf(id), status, stepId, JSON.stringify(some))
          .run();
      }
      return newestFirst(ids);
    },
    /** Has the sweep count them, as it does those that were there before it. */
    async count(): Promise<void> {
      await project.db
        .prepare("INSERT INTO execution_counts (project_id, workflow_id) VALUES (?, ?)")
        .bind(project.number, textOf(id))
        .run();
      await countExecutions(world.process().platform);
    },
    atStep: (stepId: Id, page: number, status?: ExecutionStatus) =>
      listExecutions(ctx, id, { page, pageSize, stepId, ...(status && { status }) }),
    /** The page that has the n-th of these, from 0, is as it must be. Returns its round trips to the database. */
    async expectPageOf(n: number, all: Id[], status?: ExecutionStatus): Promise<number> {
      const page = Math.floor(n / pageSize) + 1;
      const before = process.steps.length;
      const listed = await listExecutions(ctx, id, { page, pageSize, ...(status && { status }) });
      expect([page, listed.total, listed.executions.map((execution) => execution.id)]).toEqual([
        ...[page, all.length],
        all.slice((page - 1) * pageSize, page * pageSize),
      ]);
      return process.steps.slice(before).filter((step) => !step.startsWith("shard")).length;
    },
  };
}

function newestFirst(ids: Id[]): Id[] {
  return ids.toSorted().toReversed();
}

/** So many times, each so much later than the one before. */
function times(count: number, first: number, everyMs: number): number[] {
  return Array.from({ length: count }, (_, n) => first + Math.floor(n * everyMs));
}

describe("the executions of a workflow", () => {
  it("by a status that few have are read from these alone", async () => {
    const list = await newList();
    const failed = await list.add([begun], "FAILED");
    await list.add(times(maxRowsPerStatement, begun, 10));
    await list.expectPageOf(0, failed, "FAILED");
    expect(list.process.mostRowsRead).toBeLessThan(10);
  });

  it("are right around the end of a part and the end of the list", async () => {
    const list = await newList();
    let all: Id[] = [];
    await list.expectPageOf(0, all);
    for (const more of [rowsPerPart - 1, 1, 1, rowsPerPart - 1, 1]) {
      all = newestFirst([...all, ...(await list.add(times(more, begun + all.length * 10, 10)))]);
      for (const n of [0, rowsPerPart - 1, rowsPerPart, all.length - 1, all.length + pageSize]) {
        await list.expectPageOf(n, all);
      }
    }
  });

  it("are right when all of them began in the same millisecond", async () => {
    const list = await newList();
    const all = await list.add(times(3 * rowsPerPart + 1, begun, 0));
    for (const part of [0, 1, 2, 3]) await list.expectPageOf(part * rowsPerPart, all);
  });

  it("are right when they began in bursts, by status too", async () => {
    const list = await newList();
    const burst = rowsPerPart + 500;
    const waiting = newestFirst([
      ...(await list.add([begun - 300 * dayMs])),
      ...(await list.add(times(2 * burst, begun, 0.1))),
      ...(await list.add(times(burst, begun + 9 * dayMs, 0))),
    ]);
    const exited = newestFirst([
      ...(await list.add(times(burst, begun + 1_000, 1), "EXITED")),
      ...(await list.add(times(700, begun + dayMs, 60_000), "EXITED")),
    ]);
    const all = newestFirst([...waiting, ...exited]);
    for (let n = 0; n < all.length; n += 5_000) await list.expectPageOf(n, all);
    for (const n of [0, burst, 2 * burst + 900, waiting.length - 1]) await list.expectPageOf(n, waiting, "WAITING");
    for (const n of [0, 699, burst, exited.length - 1]) await list.expectPageOf(n, exited, "EXITED");
    expect(list.process.mostRowsRead).toBeLessThanOrEqual(maxRowsPerStatement + 10);
  });

  it("are counted in few round trips", async () => {
    const list = await newList();
    const part = await list.add(times(rowsPerPart, begun + 6 * rowsPerPart * 3, 3));
    expect(await list.expectPageOf(0, part)).toBe(1);
    const all = [...part, ...(await list.add(times(6 * rowsPerPart, begun, 3)))];
    expect(await list.expectPageOf(0, all)).toBe(3);
    expect(await list.expectPageOf(all.length - 1, all)).toBe(4);
    const failed = await list.add([begun], "FAILED");
    expect(await list.expectPageOf(0, failed, "FAILED")).toBe(1);
  });

  it("are not counted again once their count is stored", async () => {
    const list = await newList();
    const failed = await list.add(times(3, begun, 1), "FAILED");
    const all = newestFirst([...failed, ...(await list.add(times(2 * rowsPerPart, begun + 10, 3)))]);
    await list.count();
    expect(await list.expectPageOf(0, all)).toBe(1);
    expect(await list.expectPageOf(0, failed, "FAILED")).toBe(1);
    expect(list.process.mostRowsRead).toBeLessThan(4 * pageSize);
    for (const n of [all.length - 1, all.length - 2 * pageSize, all.length + pageSize]) {
      expect(await list.expectPageOf(n, all)).toBeLessThanOrEqual(2);
    }
    await list.expectPageOf(rowsPerPart, all);
  });

  it("are counted by the batches that change them, also while an older count is under way", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 1, unit: "days" }] },
      ways: [["TRIGGER", "later"]],
    });
    const counts = () =>
      project.db
        .prepare(
          "SELECT running + waiting AS active, cancelled, counted_to < '~' AS is_open FROM execution_counts WHERE project_id = ?",
        )
        .bind(project.number)
        .first();
    const contacts: Id[] = [];
    for (const email of ["ada@example.com", "bob@example.com", "eve@example.com"]) {
      contacts.push((await track(world, project, "signup", { email })).contactId);
      await world.drain();
    }
    expect(await counts()).toEqual({ active: 3, cancelled: 0, is_open: 0 });
    const { ctx } = await world.context(project);
    await deleteContact(ctx, contacts[0] as Id);
    await world.drain();
    expect(await counts()).toEqual({ active: 2, cancelled: 1, is_open: 0 });
    // A count that has not come to these yet.
    await project.db
      .prepare("UPDATE execution_counts SET waiting = 0, cancelled = 0, counted_to = '' WHERE project_id = ?")
      .bind(project.number)
      .run();
    expect(await cancelAllExecutions(ctx, id)).toBe(2);
    expect(await counts()).toEqual({ active: 0, cancelled: 0, is_open: 1 });
    await project.db.prepare("UPDATE execution_counts SET due_at = 0 WHERE project_id = ?").bind(project.number).run();
    await countExecutions(world.process().platform);
    expect(await counts()).toEqual({ active: 0, cancelled: 3, is_open: 0 });
    world.now += 91 * dayMs;
    for (const contactId of contacts) await world.ring(addressOf(project, contactId));
    expect(await counts()).toEqual({ active: 0, cancelled: 0, is_open: 0 });
  });

  it("at a step are found below windows full of others, and are said to be partly counted below 250,000", async () => {
    const list = await newList();
    const [here, there] = [newIdAt(begun), newIdAt(begun)];
    const old = await list.add(times(150, begun, 1), "WAITING", here);
    await list.add(times(2 * rowsPerPart, begun + 1_000, 1), "WAITING", there);
    const recent = await list.add(times(60, begun + dayMs, 1), "WAITING", here);
    const all = [...recent, ...old];
    for (const page of [1, 2, 3]) {
      const { total, executions, isPartial } = await list.atStep(here, page, "WAITING");
      expect([total, isPartial, executions.map(({ id }) => id)]).toEqual([
        ...[210, false],
        all.slice((page - 1) * pageSize, page * pageSize),
      ]);
    }
    expect(list.process.mostRowsRead).toBeLessThanOrEqual(2 * maxRowsPerStatement + 10);
    await list.add(times(18 * rowsPerPart, begun + 1_000, 0.1), "WAITING", there);
    expect(await list.atStep(here, 1)).toMatchObject({ total: 60, isPartial: true });
  });
});
