import {
  createExecutionContext,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { tick } from "../../src/cron";
import type { SweepObject } from "../../src/sweep-object";

function sweeps(): DurableObjectStub<SweepObject> {
  const objects = env.SWEEPS as unknown as DurableObjectNamespace<SweepObject>;
  return objects.get(objects.idFromName("sweeps"));
}

// It would ring every five seconds from then on, beside all other tests.
afterEach(() => runInDurableObject(sweeps(), (_, state) => state.storage.deleteAlarm()));

const nextRing = () => runInDurableObject(sweeps(), (_, state) => state.storage.getAlarm());

it("is set going by the tick of every minute, and rings every five seconds from then on", async () => {
  expect(await nextRing()).toBeNull();
  const before = Date.now();
  await tick(createScheduledController({ cron: "* * * * *" }), env, createExecutionContext());
  expect(await nextRing()).toBeGreaterThanOrEqual(before + 5_000);
  expect(await nextRing()).toBeLessThanOrEqual(Date.now() + 5_000);
  expect(await runDurableObjectAlarm(sweeps())).toBe(true);
  expect(await nextRing()).toBeGreaterThanOrEqual(before + 5_000);
});

it("is left alone by a tick while its alarm is to come", async () => {
  const at = Date.now() + 4_000;
  await runInDurableObject(sweeps(), (_, state) => state.storage.setAlarm(at));
  await sweeps().keepGoing();
  expect(await nextRing()).toBe(at);
});

it("rings again after an alarm that was lost", async () => {
  await runInDurableObject(sweeps(), (_, state) => state.storage.deleteAlarm());
  await sweeps().keepGoing();
  expect(await nextRing()).not.toBeNull();
});
