import { expect, it } from "vitest";
import { TextCache } from "../../../src/core/templating/cache";

function cacheOfThree() {
  const made: string[] = [];
  const cache = new TextCache<string>(() => 5_000_000);
  const get = (text: string) =>
    cache.getOrMake(text, () => {
      made.push(text);
      return text.toUpperCase();
    });
  return { made, get };
}

it("makes each value once", () => {
  const { made, get } = cacheOfThree();
  expect([get("a"), get("a"), get("b"), get("a")]).toEqual(["A", "A", "B", "A"]);
  expect(made).toEqual(["a", "b"]);
});

it("drops what was used longest ago when it is full", () => {
  const { made, get } = cacheOfThree();
  for (const text of ["a", "b", "c", "a", "d", "a", "b"]) get(text);
  expect(made).toEqual(["a", "b", "c", "d", "b"]);
});

it("returns what is too large to keep", () => {
  const cache = new TextCache<string>(() => 20_000_000);
  expect(cache.getOrMake("a", () => "A")).toBe("A");
  expect(cache.getOrMake("a", () => "again")).toBe("again");
});

it("keeps nothing of what failed", () => {
  const cache = new TextCache<string>(() => 1);
  const fail = () => {
    throw new Error("no");
  };
  expect(() => cache.getOrMake("a", fail)).toThrow("no");
  expect(cache.getOrMake("a", () => "A")).toBe("A");
});
