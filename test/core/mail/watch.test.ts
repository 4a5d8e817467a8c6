import { expect, it } from "vitest";
import type { Verdict } from "../../../src/core/mail/breaker";
import { openWatch } from "../../../src/core/mail/watch";

const answered: Verdict = { kind: "answered" };
const failed: Verdict = { kind: "failed", calls: 1 };

/** So many places that call one after another, and the calls that each of them has open. */
function open(places: number) {
  const watch = openWatch();
  const world = { watch, begun: 0, stopped: 0, open: 0, end: async (_: Verdict) => {} };
  const call = async () => {
    if (!(await watch.mayCall())) {
      world.stopped += 1;
      return;
    }
    world.begun += 1;
    world.open += 1;
  };
  world.end = async (verdict) => {
    world.open -= 1;
    watch.ended(verdict);
    void call();
    await settled();
  };
  for (let index = 0; index < places; index++) void call();
  return world;
}

/** All that waits for nothing but promises has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

it("lets all calls go on while they are answered", async () => {
  const world = open(5);
  await settled();
  for (let calls = 0; calls < 10; calls++) await world.end(answered);
  expect(world).toMatchObject({ begun: 15, open: 5, stopped: 0 });
});

it.each([
  [1, 3],
  [2, 3],
  [3, 3],
  [5, 5],
])("with %i calls at once, an outage costs %i", async (places, lost) => {
  const world = open(places);
  await settled();
  await world.end(answered);
  const before = world.begun - world.open;
  for (let calls = 0; world.open > 0 && calls < 10; calls++) await world.end(failed);
  expect(world.begun - before).toBe(lost);
  expect(world).toMatchObject({ open: 0, stopped: places });
  expect(world.watch.isOver()).toBe(true);
});

it("waits for the open calls after one that failed, and goes on with their answer", async () => {
  const world = open(5);
  await settled();
  await world.end(failed);
  await world.end(failed);
  expect(world).toMatchObject({ begun: 5, open: 3, stopped: 0 });
  await world.end(answered);
  expect(world).toMatchObject({ begun: 8, open: 5, stopped: 0 });
});

it.each<Verdict>([{ kind: "throttled", askedMs: 0 }, { kind: "blocked" }])("stops at once: $kind", async (verdict) => {
  const world = open(5);
  await settled();
  await world.end(verdict);
  await world.end(answered);
  expect(world).toMatchObject({ begun: 5, open: 3, stopped: 2 });
});
