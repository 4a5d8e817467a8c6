import { expect, it } from "vitest";
import { copyName } from "../../src/core/copy-name";

it.each([
  ["News", 100, "News (Copy)"],
  ["123456789", 16, "123456789 (Copy)"],
  ["1234567890", 16, "123456789 (Copy)"],
  ["12345678🎉", 16, "12345678 (Copy)"],
  ["News (Copy)", 100, "News (Copy) (Copy)"],
])("%s within %i characters: %s", (name, limit, expected) => {
  expect(copyName(name, limit)).toBe(expected);
});
