import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { type Id, publicId } from "../../src/core/ids";
import { cancelAllExecutions } from "../../src/features/workflows/executions/cancel";
import { bearer, call, newProject } from "../support/project";
import { move, newTestClock } from "../support/test-clock";
import { addressOf, mirrorOf, newWorkflow, track } from "../support/workflow";
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
  await world.sweep();
  world.now += 10 * 60_000;
  await world.sweep();
  await world.drain();
  expect(await counted()).toEqual({ n: 0 });
});
