import { describe, expect, it } from "vitest";
import { fitted } from "../../src/core/fitted";
import type { JsonValue } from "../../src/core/json";

describe("fitted", () => {
  it.each<[string, JsonValue]>([
    ["a text", "Ada"],
    ["a number", 42],
    ["nothing", null],
    ["an object", { plan: "pro", tags: ["a", "b"], nested: { deep: [1, { x: true }] } }],
  ])("leaves %s that fits as it is", (_, value) => {
    expect(fitted(value, 1_000)).toEqual({ value, isCut: false });
  });

  it("shortens a long text, and says by how much", () => {
    const { value, isCut } = fitted({ body: "x".repeat(10_000) }, 9_000);
    expect([value, isCut]).toEqual([{ body: `${"x".repeat(8_000)}… (2000 more characters)` }, true]);
  });

  it("shortens lists and objects, and says by how much", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, index]));
    const { value } = fitted({ list: Array.from({ length: 150 }, () => 1), many }, 50_000);
    expect(value).toMatchObject({ list: { length: 101, 100: "… (50 more)" }, many: { key0: 0, "…": "100 more keys" } });
  });

  it("keeps to the size, however the value is nested", () => {
    const wide = (depth: number): JsonValue =>
      depth === 0
        ? "y".repeat(3_000)
        : Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`k${i}`, wide(depth - 1)]));
    for (const maxLength of [200, 2_000, 20_000]) {
      const { value, isCut } = fitted(wide(4), maxLength);
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(maxLength);
      expect(isCut).toBe(true);
    }
  });
});
