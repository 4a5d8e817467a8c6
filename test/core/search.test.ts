import { expect, it } from "vitest";
import { searchText } from "../../src/core/search";

it.each<[string, (string | null)[], string]>([
  ["lower case, also beyond ASCII", ["ÄÖÜ Σίσυφος ЖУК"], "äöü σίσυφος жук"],
  ["composed letters, however they were typed", ["Cafe\u0301"], "café"],
  ["fields kept apart", ["a", "b"], "a\nb"],
  ["nothing for what is not there", ["a", null, "b"], "a\nb"],
])("makes %s", (_, fields, expected) => {
  expect(searchText(...fields)).toBe(expected);
});
