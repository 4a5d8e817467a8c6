import { expect, it } from "vitest";
import { type FieldType, fieldType } from "../../../src/core/contacts/field-type";
import type { JsonValue } from "../../../src/core/json";

it.each<[value: JsonValue, type: FieldType]>([
  [42, "number"],
  [3.14, "number"],
  [0, "number"],
  [-1, "number"],
  [1e21, "number"],
  [true, "boolean"],
  [false, "boolean"],

  ["2026-01-31", "date"],
  ["2028-02-29", "date"],
  ["2026-01-31T09:00:00Z", "date"],
  ["2026-01-31T09:00:00.000Z", "date"],
  ["2026-12-31T23:59:59.999Z", "date"],
  ["1899-12-31", "date"],

  // Almost dates: the contract names three forms and no other.
  ["2026-1-31", "string"],
  ["26-01-31", "string"],
  ["2026/01/31", "string"],
  ["20260131", "string"],
  ["2026-01", "string"],
  ["31-01-2026", "string"],
  ["2026-01-31T09:00Z", "string"],
  ["2026-01-31T09:00:00", "string"],
  ["2026-01-31T09:00:00+01:00", "string"],
  ["2026-01-31T09:00:00.0Z", "string"],
  ["2026-01-31T09:00:00.000000Z", "string"],
  ["2026-01-31t09:00:00z", "string"],
  ["2026-01-31 09:00:00Z", "string"],
  ["2026-01-31 ", "string"],
  [" 2026-01-31", "string"],
  ["2026-01-31\n", "string"],
  ["on 2026-01-31", "string"],
  ["2026-13-01", "string"],
  ["2026-00-10", "string"],
  ["2026-01-32", "string"],
  ["2026-01-31T25:00:00Z", "string"],
  ["2026-01-31T09:60:00Z", "string"],
  ["٢٠٢٦-٠١-٣١", "string"],

  // A text that looks like another type is still a text.
  ["42", "string"],
  ["3.14", "string"],
  ["true", "string"],
  ["false", "string"],
  ["", "string"],
  ["Ada", "string"],

  [[], "string"],
  [[1, 2], "string"],
  [["2026-01-31"], "string"],
  [{}, "string"],
  [{ value: 42 }, "string"],
])("the type of %j is %s", (value, type) => {
  expect(fieldType(value)).toBe(type);
});
