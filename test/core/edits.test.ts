import { expect, it } from "vitest";
import { editsBetween } from "../../src/core/edits";

it.each([
  ["gmail", "gmail", 0],
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["gmal", "gmail", 1],
  ["gmaill", "gmail", 1],
  ["gnail", "gmail", 1],
  ["gmial", "gmail", 1],
  ["mgial", "gmail", 2],
  ["roper", "rogers", 2],
])("from %j to %j it takes %d", (written, meant, edits) => {
  expect(editsBetween(written, meant)).toBe(edits);
  expect(editsBetween(meant, written)).toBe(edits);
});
