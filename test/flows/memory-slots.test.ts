import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { holdBytes } from "../../src/platform/body-bytes";
import { takeSlot } from "../../src/platform/memory-slots";
import { passSeconds } from "../support/pass-seconds";

const megabyte = 1024 * 1024;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  // Bodies and slots of earlier requests that were cut off are forgotten by then.
  vi.setSystemTime(Date.now() + 120_000);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a memory slot", () => {
  it("is one for each project, so the second goes to another one", async () => {
    const first = await takeSlot(1, 0);
    expect(await takeSlot(1, 0)).toBeNull();
    const other = await takeSlot(2, 0);
    expect([first, other]).not.toContain(null);
    for (const slot of [first, other]) slot?.giveBack();
  });

  it("goes to the one who came first", async () => {
    const held = [await takeSlot(1, 0), await takeSlot(2, 0)];
    const order: number[] = [];
    const waiters = [3, 4, 5].map(async (project) => {
      const slot = await takeSlot(project, 5_000);
      order.push(project);
      slot?.giveBack();
    });
    await passSeconds(0.5);
    expect(order).toEqual([]);
    for (const slot of held) slot?.giveBack();
    await passSeconds(0.5);
    await Promise.all(waiters);
    expect(order).toEqual([3, 4, 5]);
  });

  it("is free again half a minute after a caller that was cut off took it", async () => {
    await takeSlot(1, 0);
    expect(await takeSlot(1, 0)).toBeNull();
    vi.setSystemTime(Date.now() + 30_000);
    const again = await takeSlot(1, 0);
    expect(again).not.toBeNull();
    again?.giveBack();
  });
});

describe("the memory for bodies that arrive", () => {
  it("counts what is there, and leaves a part to other projects", () => {
    const idle = holdBytes(1);
    const big = holdBytes(1);
    expect(big.grow(40 * megabyte)).toBe(true);
    expect(idle.grow(5 * megabyte)).toBe(false);
    const other = holdBytes(2);
    expect(other.grow(16 * megabyte)).toBe(true);
    expect(other.grow(megabyte)).toBe(false);
    big.release();
    expect(idle.grow(5 * megabyte)).toBe(true);
    for (const body of [idle, other]) body.release();
  });

  it("always has room for the only body, however large", () => {
    const only = holdBytes(1);
    expect(only.grow(55 * megabyte)).toBe(true);
    only.release();
  });
});
