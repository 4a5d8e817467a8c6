import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { takeTurn } from "../../src/platform/let-others-in";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Asks for a turn, and notes when it came. */
function ask(came: string[], name: string): Promise<() => void> {
  return takeTurn(2).then((giveBack) => {
    came.push(name);
    return giveBack;
  });
}

it("lets no more work at once than are to, and the next one when a turn is given back", async () => {
  const came: string[] = [];
  const [first, second] = [await ask(came, "first"), await ask(came, "second")];
  const third = ask(came, "third");
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second"]);
  first();
  await vi.advanceTimersByTimeAsync(10);
  expect(came).toEqual(["first", "second", "third"]);
  second();
  (await third)();
});

it("forgets who never gave its turn back", async () => {
  const came: string[] = [];
  await ask(came, "first");
  await ask(came, "second");
  const third = ask(came, "third");
  await vi.advanceTimersByTimeAsync(450);
  expect(came).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toHaveLength(3);
  (await third)();
});

it("gives turns in order, and who dies while it waits holds nobody up", async () => {
  const came: string[] = [];
  const [first, second] = [await ask(came, "first"), await ask(came, "second")];
  const dead = vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => 0 as never);
  void ask(came, "dead");
  dead.mockRestore();
  const [third, fourth, fifth] = ["third", "fourth", "fifth"].map((name) => ask(came, name));
  first();
  second();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second", "third"]);
  (await third)?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second", "third", "fourth"]);
  await vi.advanceTimersByTimeAsync(350);
  expect(came).toEqual(["first", "second", "third", "fourth", "fifth"]);
  for (const giveBack of await Promise.all([fourth, fifth])) giveBack?.();
});
