import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { type Id, publicId, readId, textOf } from "../../src/core/ids";
import { cancelAllExecutions } from "../../src/features/workflows/executions/cancel";
import { bearer, call, newProject } from "../support/project";
import { move, newTestClock } from "../support/test-clock";
import { emptyTrash } from "../support/trash";
import { addressOf, type GivenWorkflow, mirrorOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const dayMs = 86_400_000;

it("forgets executions of a project with a test clock by the real clock, and its alarm comes to rest", async () => {
  const clock = await newTestClock();
  const { project, world } = clock;
  await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED" }]);
  world.now += 91 * dayMs;
  const address = addressOf(project, contactId);
  expect(await world.ring(address)).toBe(true);
  // Of an alarm in the past the object would be woken again and again, for as long as the project lives.
  const alarm = await runInDurableObject(shardStub(address), (_, state) => state.storage.getAlarm());
  expect(alarm === null || alarm > world.now).toBe(true);
  expect(await mirrorOf(project, contactId)).toEqual([]);
});

it("forgets what the steps of an execution did with it, and of no other", async () => {
  const [world, project] = [new World(), await newProject()];
  const noting = { steps: { note: ["UPDATE_CONTACT", { data: { seen: true } }] } } satisfies GivenWorkflow;
  await newWorkflow(project, { ...noting, ways: [["TRIGGER", "note"]] });
  await newWorkflow(project, {
    steps: { ...noting.steps, later: ["DELAY", { amount: 365, unit: "days" }] },
    ways: [
      ["TRIGGER", "note"],
      ["note", "later"],
    ],
  });
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  const effects = async () => {
    const own = project.db.prepare("SELECT effect_id FROM workflow_effects WHERE project_id = ?").bind(project.number);
    return (await own.all<{ effect_id: string }>()).results.map(({ effect_id }) => effect_id.split(":")[0]);
  };
  expect(await effects()).toHaveLength(2);
  world.now += 91 * dayMs;
  await world.ring(addressOf(project, contactId));
  const [{ id, status } = { id: "" }, ...others] = await mirrorOf(project, contactId);
  expect([status, others, await effects()]).toEqual(["WAITING", [], [textOf(readId(id))]]);
});

it("keeps executions of a project whose test clock is moved by a hundred days", async () => {
  const clock = await newTestClock();
  const { project, world } = clock;
  await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
  const { contactId } = await track(world, project, "signup");
  await move(clock, { advance: "100d" });
  await track(world, project, "signup");
  await world.drain();
  expect(await mirrorOf(project, contactId)).toHaveLength(1);
});

it("keeps executions of a project whose test clock stands still for a hundred days, for as long as any", async () => {
  const { project, world } = await newTestClock();
  const { id } = await newWorkflow(project, {
    allowReentry: true,
    steps: { later: ["DELAY", { amount: 1, unit: "days" }] },
    ways: [["TRIGGER", "later"]],
  });
  await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
  world.now += 100 * dayMs;
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  const { ctx } = await world.context(project);
  expect(await cancelAllExecutions(ctx, id)).toBe(1);
  const ends = async () => (await mirrorOf(project, contactId)).map(({ status }) => status).toSorted();
  const address = addressOf(project, contactId);
  for (const days of [0, 89]) {
    world.now += days * dayMs;
    await world.ring(address);
    expect(await ends()).toEqual(["CANCELLED", "EXITED"]);
  }
  world.now += 2 * dayMs;
  expect(await world.ring(address)).toBe(true);
  expect(await ends()).toEqual([]);
});

it("forgets what it counted at steps that were deleted before their workflow", async () => {
  const [world, project] = [new World(), await newProject()];
  const { id, steps } = await newWorkflow(project, {
    steps: { first: ["UPDATE_CONTACT", { data: { a: 1 } }], last: ["EXIT", {}] },
    ways: [
      ["TRIGGER", "first"],
      ["first", "last"],
    ],
  });
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  const address = addressOf(project, contactId);
  const counted = () =>
    runInDurableObject(shardStub(address), (_, { storage }) =>
      storage.sql.exec("SELECT count(*) AS n FROM step_counts").one(),
    );
  expect(await counted()).toEqual({ n: 3 });
  const remove = (path: string) => call("DELETE", path, undefined, bearer(project.keys.secret));
  expect((await remove(`/workflows/${publicId(id)}/steps/${publicId(steps.first as Id)}?splice=true`)).status).toBe(
    204,
  );
  expect((await remove(`/workflows/${publicId(id)}`)).status).toBe(204);
  world.now += 60_000;
  await emptyTrash(world, project);
  await world.sweep();
  world.now += 10 * 60_000;
  await world.sweep();
  await world.drain();
  expect(await counted()).toEqual({ n: 0 });
});
