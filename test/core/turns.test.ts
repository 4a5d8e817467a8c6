import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inTurns, openLine, type Turn } from "../../src/platform/turns";

let line = openLine();

beforeEach(() => {
  line = openLine();
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
});
afterEach(() => void vi.useRealTimers());

/** Asks for a turn, and notes when it came. */
function ask(came: string[], name: string): Promise<Turn> {
  return line.take(2).then((turn) => {
    came.push(name);
    return turn;
  });
}

it("lets no more work at once than are to, and the next one when a turn is given back", async () => {
  const came: string[] = [];
  const [first, second] = [await ask(came, "first"), await ask(came, "second")];
  const third = ask(came, "third");
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second"]);
  first.giveBack();
  await vi.advanceTimersByTimeAsync(10);
  expect(came).toEqual(["first", "second", "third"]);
  second.giveBack();
  (await third).giveBack();
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
  (await third).giveBack();
});

it("gives turns in order, and who dies while it waits holds nobody up", async () => {
  const came: string[] = [];
  const [first, second] = [await ask(came, "first"), await ask(came, "second")];
  // Not by a spy: its end would keep the timers of this file for all files after it.
  const { setTimeout: before } = globalThis;
  globalThis.setTimeout = (() => 0) as never;
  void ask(came, "dead");
  globalThis.setTimeout = before;
  const [third, fourth, fifth] = ["third", "fourth", "fifth"].map((name) => ask(came, name));
  first.giveBack();
  second.giveBack();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second", "third"]);
  (await third)?.giveBack();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["first", "second", "third", "fourth"]);
  await vi.advanceTimersByTimeAsync(350);
  expect(came).toEqual(["first", "second", "third", "fourth", "fifth"]);
  for (const turn of await Promise.all([fourth, fifth])) turn?.giveBack();
});

it("lets small work in beside each other, and large work only as far as it fits", async () => {
  const came: string[] = [];
  const take = (name: string, size: number) =>
    line.take(10, size).then((turn) => {
      came.push(name);
      return turn;
    });
  const small = await Promise.all(["a", "b", "c"].map((name) => take(name, 1)));
  const large = take("large", 8);
  const next = take("next", 1);
  await vi.advanceTimersByTimeAsync(100);
  // Who comes later does not overtake.
  expect(came).toEqual(["a", "b", "c"]);
  small[0]?.giveBack();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["a", "b", "c", "large"]);
  for (const turn of [...small, await large]) turn.giveBack();
  await vi.advanceTimersByTimeAsync(100);
  const whole = take("whole", 100);
  (await next).giveBack();
  await vi.advanceTimersByTimeAsync(100);
  expect(came).toEqual(["a", "b", "c", "large", "next", "whole"]);
  (await whole).giveBack();
});

it("computes one at a time, while any number wait", async () => {
  let [computing, mostComputing, waiting, mostWaiting] = [0, 0, 0, 0];
  const compute = async () => {
    computing += 1;
    mostComputing = Math.max(mostComputing, computing);
    await new Promise((resolve) => setTimeout(resolve, 2));
    computing -= 1;
  };
  const wait = async () => {
    waiting += 1;
    mostWaiting = Math.max(mostWaiting, waiting);
    await new Promise((resolve) => setTimeout(resolve, 200));
    waiting -= 1;
  };
  const works = Array.from({ length: 16 }, () =>
    inTurns(async (away) => {
      await compute();
      await away(() => Promise.all([wait(), wait()]));
      await compute();
      await Promise.all([away(wait), away(wait)]);
      await compute();
    }),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(works);
  expect(mostComputing).toBe(1);
  expect(mostWaiting).toBe(32);
});

it("has its turn again after a wait that failed, and gives it back when the work fails", async () => {
  const fails = inTurns(async (away) => {
    await away(() => Promise.reject(new Error("The database is away"))).catch(() => {});
    throw new Error("The work failed");
  });
  await expect(fails).rejects.toThrow("The work failed");
  const next = inTurns(async () => "done");
  await vi.advanceTimersByTimeAsync(10);
  expect(await next).toBe("done");
});
