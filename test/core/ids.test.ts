import { afterEach, describe, expect, it, vi } from "vitest";
import { isUuid, newId } from "../../src/core/ids";

describe("newId", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is a UUID v7 in lower case", () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("never gives the same id twice", () => {
    const ids = Array.from({ length: 10_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("sorts by the time it was made, also within one millisecond", () => {
    const ids = Array.from({ length: 10_000 }, newId);
    expect(ids.toSorted()).toEqual(ids);
  });

  it("says in its first 48 bits when it was made", () => {
    for (const time of ["2038-01-19T03:14:08.000Z", "2038-12-31T23:59:59.999Z", "2106-02-07T06:28:16.001Z"]) {
      vi.useFakeTimers({ now: new Date(time), toFake: ["Date"] });
      const made = Number.parseInt(newId().replaceAll("-", "").slice(0, 12), 16);
      expect(new Date(made).toISOString()).toBe(time);
    }
  });

  it("sorts by the order they were made in when the clock goes back", () => {
    vi.useFakeTimers({ now: new Date("2107-01-01T00:00:00Z"), toFake: ["Date"] });
    const before = newId();
    vi.setSystemTime(new Date("2106-12-31T23:59:00Z"));
    expect(newId() > before).toBe(true);
  });
});

describe("isUuid", () => {
  it.each([
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    "0199A0F2-6C1E-7B3A-9D54-0C8F6F1F2A10",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "00000000-0000-4000-8000-000000000000",
    "00000000-0000-0000-0000-000000000000",
    newId(),
    crypto.randomUUID(),
  ])("takes %s", (value) => {
    expect(isUuid(value)).toBe(true);
  });

  it.each([
    "",
    "nope",
    "42",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a1",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a100",
    "0199a0f26c1e7b3a9d540c8f6f1f2a10",
    "{0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10}",
    "urn:uuid:0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    " 0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10\n",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a1g",
  ])("refuses %j", (value) => {
    expect(isUuid(value)).toBe(false);
  });
});
