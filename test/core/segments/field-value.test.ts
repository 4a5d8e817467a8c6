import { expect, it } from "vitest";
import { fieldValue } from "../../../src/core/segments/field-value";

const contact = {
  email: "ada@example.com",
  subscribed: false,
  createdAt: 0,
  updatedAt: 1,
  source: "IMPORT",
  data: { plan: "pro", empty: "", no: null, "profile.tier": "gold", profile: { tier: "tin", list: ["a"] } },
};

it.each<[string, unknown]>([
  ["email", "ada@example.com"],
  ["subscribed", false],
  ["createdAt", "1970-01-01T00:00:00.000Z"],
  ["updatedAt", "1970-01-01T00:00:00.001Z"],
  ["source", "IMPORT"],
  ["data.plan", "pro"],
  ["data.empty", ""],
  ["data.no", null],
  ["data.nothing", null],
  ["data.profile.tier", "gold"],
  ["data.profile.list", ["a"]],
  ["data.profile.list.0", null],
  ["data.profile.no.such", null],
  ["data.constructor", null],
])("%s is %j", (field, value) => {
  expect(fieldValue(contact, field)).toEqual(value);
});
