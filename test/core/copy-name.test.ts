import { expect, it } from "vitest";
import { copyName } from "../../src/core/copy-name";

const rest = "x".repeat(84);

it.each([
  ["News", "News (Copy)"],
  [`${rest}123456789`, `${rest}123456789 (Copy)`],
  [`${rest}1234567890`, `${rest}123456789 (Copy)`],
  [`${rest}12345678🎉`, `${rest}12345678 (Copy)`],
  ["News (Copy)", "News (Copy) (Copy)"],
])("the copy of %s is %s, within a hundred characters", (name, expected) => {
  expect(copyName(name)).toBe(expected);
});
