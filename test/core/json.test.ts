import { describe, expect, it } from "vitest";
import { isDeeperThan, isJsonObject, utf8Bytes } from "../../src/core/json";

describe("isJsonObject", () => {
  it.each<[value: unknown, expected: boolean]>([
    [{}, true],
    [{ a: 1 }, true],
    [JSON.parse('{"__proto__": null}'), true],
    [[], false],
    [[{}], false],
    [null, false],
    [undefined, false],
    ["{}", false],
    [0, false],
    [true, false],
  ])("%j: %s", (value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe("utf8Bytes", () => {
  it.each<[text: string, bytes: number]>([
    ["", 0],
    ["a", 1],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
    ["a\0b", 3],
    ["naïve €5 😀", 16],
  ])("%j has %i", (text, bytes) => {
    expect(utf8Bytes(text)).toBe(bytes);
  });
});

describe("isDeeperThan", () => {
  it.each<[value: unknown, levels: number, expected: boolean]>([
    ["text", 0, false],
    [null, 0, false],
    [{}, 0, true],
    [[], 0, true],
    [{}, 1, false],
    [{ a: 1 }, 1, false],
    [{ a: {} }, 1, true],
    [{ a: [] }, 1, true],
    [[[1]], 2, false],
    [[[[1]]], 2, true],
    [{ a: 1, b: { c: { d: 1 } } }, 2, true],
    [{ a: { b: null } }, 2, false],
  ])("%j deeper than %i levels: %s", (value, levels, expected) => {
    expect(isDeeperThan(value, levels)).toBe(expected);
  });

  it("does not go down further than it must", () => {
    const deep: unknown = JSON.parse("[".repeat(5000) + "]".repeat(5000));
    expect(isDeeperThan(deep, 20)).toBe(true);
  });
});
