import { expect, it } from "vitest";
import { isStorable } from "../../src/core/storable";

it.each([
  ["", true],
  ["Grüße 🎉\n", true],
  ["a\u0001b", true],
  ["a\0b", false],
  ["\ud83c", false],
  ["\udf89\ud83c", false],
])("isStorable(%j) is %j", (text, expected) => expect(isStorable(text)).toBe(expected));
