import { expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";
import { type Id, newIdAt, textOf } from "../../src/core/ids";
import type { ExecutionStatus } from "../../src/core/workflows/execution";
import { maxRowsPerStatement } from "../../src/db/limits";
import { listExecutions } from "../../src/features/workflows/executions/list";
import { newProject } from "../support/project";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

const begun = Date.UTC(2026, 0, 1);
const pageSize = 100;

/** A workflow whose executions are rows of the mirror only. */
async function newList() {
  const [world, project] = [new World(), await newProject()];
  const { id } = await newWorkflow(project);
  const { ctx, process } = await world.context(project);
  return {
    process,
    /** Adds executions that began at these times. Returns them, newest first. */
    async add(times: number[], status: ExecutionStatus = "WAITING"): Promise<Id[]> {
      const ids = times.map((time) => newIdAt(time));
      for (const some of chunksOf(ids, 10_000)) {
        await project.db
          .prepare(
            `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, clock, started_at, updated_at)
              SELECT ?, ?, value, value, 0, ?, 0, 0, 0 FROM json_each(?)`,
          )
          .bind(project.number, textOf(id), status, JSON.stringify(some))
          .run();
      }
      return newestFirst(ids);
    },
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

it("by a status that few have is read from these alone", async () => {
  const list = await newList();
  const failed = await list.add([begun], "FAILED");
  await list.add(times(maxRowsPerStatement, begun, 10));
  await list.expectPageOf(0, failed, "FAILED");
  expect(list.process.mostRowsRead).toBeLessThan(10);
});
