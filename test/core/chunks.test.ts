import { expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";

it.each<[items: number[], size: number, chunks: number[][]]>([
  [[], 3, []],
  [[1], 3, [[1]]],
  [[1, 2, 3], 3, [[1, 2, 3]]],
  [[1, 2, 3, 4], 3, [[1, 2, 3], [4]]],
  [
    [1, 2, 3, 4, 5, 6],
    3,
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
  [[1, 2], 1, [[1], [2]]],
])("cuts %j into pieces of at most %i", (items, size, chunks) => {
  expect(chunksOf(items, size)).toEqual(chunks);
});

it("leaves the list itself alone", () => {
  const items = Object.freeze([1, 2, 3]);
  expect(chunksOf(items, 2).flat()).toEqual(items);
});
