import { expect, it, onTestFinished, vi } from "vitest";
import { newId } from "../../src/core/ids";
import { shardCount } from "../../src/core/workflows/shard-of";
import { findProject } from "../../src/engine/projects/project";
import { databaseOf } from "../support/database";
import { FarDatabase } from "../support/far-database";
import { newProject, type TestProject } from "../support/project";
import { addressOf, type GivenWorkflow, newWorkflow } from "../support/workflow";
import { World } from "../support/world";

async function newPeople(project: TestProject, count: number) {
  const ids = Array.from({ length: count }, () => newId());
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?, value, 'p' || key || '@example.com', 1, '{}', 0, 0 FROM json_each(?)`,
    )
    .bind(project.number, JSON.stringify(ids))
    .run();
  return ids;
}

/** Two effects, and a delay. */
const greeting: GivenWorkflow = {
  steps: {
    note: ["UPDATE_CONTACT", { data: { greeted: "{{ email }}" } }],
    more: ["UPDATE_CONTACT", { data: { again: "{{ greeted }}" } }],
    later: ["DELAY", { amount: 1, unit: "hours" }],
  },
  ways: [
    ["TRIGGER", "note"],
    ["note", "more"],
    ["more", "later"],
  ],
};

it("sixteen shards of an isolate make each round trip to a database together, not one after another", async () => {
  // A turn that is kept over a round trip is never taken for one that was forgotten.
  vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const project = await newProject();
  const far = new FarDatabase(0, shardCount);
  const world = new World();
  const distant = new World();
  distant.now = world.now;
  distant.settings = { DB: far.of(databaseOf("DB")), DB_01: far.of(databaseOf("DB_01")) };
  world.shardPlatform = () => distant.process().platform;
  const workflow = await newWorkflow(project, greeting);
  const people = await newPeople(project, shardCount);
  // The isolate knows the project: what follows are the round trips of rounds alone.
  await findProject(world.process().platform, project.number);
  await Promise.all(
    people.map(async (contactId, shard) => {
      const address = { ...addressOf(project, contactId), shard };
      const starts = { workflowId: workflow.id, allowReentry: false, contactIds: [contactId], tick: 1 };
      await world.process().platform.workflowShards.of(address).startMany(address, starts);
    }),
  );
  const { results } = await project.db
    .prepare("SELECT status, count(*) AS n FROM workflow_executions WHERE project_id = ? GROUP BY 1")
    .bind(project.number)
    .all();
  expect(results).toEqual([{ status: "WAITING", n: shardCount }]);
  expect(far.alone).toEqual([]);
  expect(far.mostAtOnce).toBe(shardCount);
});
