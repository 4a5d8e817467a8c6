import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { World } from "../support/world";

/** Projects of tests have lower numbers. */
const first = 1_000_000;
const hourMs = 3_600_000;

/** Executions in the mirror, some of each project from `first + from` on. */
async function addExecutions({
  from,
  projects,
  each,
  wakeAt,
}: Record<"from" | "projects" | "each" | "wakeAt", number>) {
  await env.DB.prepare(
    `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, wake_at, started_at, updated_at)
      SELECT ? + p.value, 'w', printf('%022d', e.value), 'c', e.value % 4, 'WAITING', ?, 1, 1
      FROM json_each(?) p CROSS JOIN json_each(?) e`,
  )
    .bind(first, wakeAt, JSON.stringify(numbers(projects, from)), JSON.stringify(numbers(each)))
    .run();
}

function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

/** Runs the sweep of a minute, and returns the projects whose shards it woke. */
async function wake(world: World): Promise<number[]> {
  world.queue = [];
  await world.sweep("* * * * *");
  const woken = world.queue.flatMap(({ queued: { message } }) =>
    message.type === "workflows.wake" && message.projectId >= first ? message.projectId - first : [],
  );
  world.queue = [];
  return woken.toSorted((one, other) => one - other);
}

it("finds an overdue execution behind the many projects whose executions wait, and gives each project a turn", async () => {
  const world = new World();
  await addExecutions({ from: 0, projects: 600, each: 1, wakeAt: world.now + hourMs });
  expect(await wake(world)).toEqual([]);
  await addExecutions({ from: 600, projects: 1, each: 20_000, wakeAt: world.now - hourMs });
  await addExecutions({ from: 601, projects: 30, each: 60, wakeAt: world.now - hourMs });
  expect(await wake(world)).toEqual(numbers(31, 600));
  // None of these shards has come back, and the first project has others that were not woken yet.
  expect(await wake(world)).toEqual(numbers(31, 600));
  expect(await wake(world)).toEqual([600]);
  await env.DB.prepare("DELETE FROM workflow_executions WHERE project_id >= ?").bind(first).run();
});
