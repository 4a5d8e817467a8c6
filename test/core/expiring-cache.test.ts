import { describe, expect, it } from "vitest";
import { expiringCache } from "../../src/core/expiring-cache";

const ttlMs = 30_000;
const now = 1_000_000;

describe("a value", () => {
  it.each([
    ["at once", 0, "kept"],
    ["a moment before its time is over", ttlMs - 1, "kept"],
    ["when its time is over", ttlMs, undefined],
    ["long after", ttlMs * 100, undefined],
  ])("%s", (_, afterMs, found) => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "kept", now);
    expect(cache.get("key", now + afterMs)).toBe(found);
  });

  it("lives on from when it was last set", () => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "old", now);
    cache.set("key", "new", now + ttlMs - 1);
    expect(cache.get("key", now + ttlMs)).toBe("new");
    expect(cache.get("key", now + 2 * ttlMs - 1)).toBeUndefined();
  });

  it.each([
    ["its own shorter one", 1_000, 1_000],
    ["the cache's, when its own is longer", ttlMs * 2, ttlMs],
  ])("may have a time of its own: %s counts", (_, ownTtlMs, kept) => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "kept", now, ownTtlMs);
    expect(cache.get("key", now + kept - 1)).toBe("kept");
    expect(cache.get("key", now + kept)).toBeUndefined();
  });

  it("is not kept alive by being read", () => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "kept", now);
    cache.get("key", now + ttlMs - 1);
    expect(cache.get("key", now + ttlMs)).toBeUndefined();
  });

  it.each([null, false, 0, ""])("may be %j", (value) => {
    const cache = expiringCache<unknown>({ ttlMs, maxEntries: 10 });
    cache.set("key", value, now);
    expect(cache.get("key", now)).toBe(value);
  });

  it.each(["__proto__", "constructor", "toString"])("that nobody set is not found under %s", (key) => {
    expect(expiringCache<string>({ ttlMs, maxEntries: 10 }).get(key, now)).toBeUndefined();
  });
});

describe("a value that is asked for often", () => {
  it("is to be read anew from half of its time on, by one caller", () => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "old", now);
    expect(cache.isAgeing("key", now + ttlMs / 2 - 1)).toBe(false);
    expect(cache.isAgeing("key", now + ttlMs / 2)).toBe(true);
    expect(cache.isAgeing("key", now + ttlMs / 2)).toBe(false);
    cache.set("key", "new", now + ttlMs / 2);
    expect(cache.isAgeing("key", now + ttlMs / 2)).toBe(false);
    expect(cache.get("key", now + ttlMs)).toBe("new");
  });

  it("is gone once it is deleted", () => {
    const cache = expiringCache<string>({ ttlMs, maxEntries: 10 });
    cache.set("key", "kept", now);
    cache.delete("key");
    expect(cache.get("key", now)).toBeUndefined();
  });
});

describe("a full cache", () => {
  const full = () => {
    const cache = expiringCache<number>({ ttlMs, maxEntries: 3 });
    for (const [index, key] of ["a", "b", "c"].entries()) cache.set(key, index, now);
    return cache;
  };
  const keysOf = (cache: ReturnType<typeof full>) =>
    ["a", "b", "c", "d", "e"].filter((key) => cache.get(key, now) !== undefined);

  it("lets the oldest go for a new one", () => {
    const cache = full();
    cache.set("d", 3, now);
    expect(keysOf(cache)).toEqual(["b", "c", "d"]);
  });

  it("lets nobody go for one it holds already", () => {
    const cache = full();
    cache.set("b", 9, now);
    expect(keysOf(cache)).toEqual(["a", "b", "c"]);
  });

  it("counts one that was set again as new", () => {
    const cache = full();
    cache.set("a", 9, now);
    cache.set("d", 3, now);
    cache.set("e", 4, now);
    expect(keysOf(cache)).toEqual(["a", "d", "e"]);
  });

  it("forgets everything when it is cleared", () => {
    const cache = full();
    cache.clear();
    expect(keysOf(cache)).toEqual([]);
  });
});
