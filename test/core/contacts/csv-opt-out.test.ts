import { describe, expect, it } from "vitest";
import { findOptOuts, isOptOut } from "../../../src/core/contacts/csv-opt-out";

const column = (key: string, at = 0) => ({ key, at });

describe("columns with the opt-outs of another service", () => {
  it.each(["unsubscribed", "Unsubscribed At", "opted_out", "optedOutAt", "do-not-email", "status"])("are %s", (key) => {
    expect(findOptOuts([column(key)])).toEqual([column(key)]);
  });

  it.each(["subscriber", "optimism", "state", "plan"])("are not %s", (key) => {
    expect(findOptOuts([column(key)])).toEqual([]);
  });

  it("are twenty at most, however many a file has", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => column(`unsubscribed ${at}`, at));
    expect(findOptOuts(many)).toEqual(many.slice(0, 20));
  });

  it.each([
    ["unsubscribed", "true", true],
    ["unsubscribed", "2026-01-31", true],
    ["unsubscribed", " No ", false],
    ["unsubscribed", "", false],
    ["status", "Cleaned", true],
    ["status", "opted out", true],
    ["status", "active", false],
  ])("%s: %j says so: %s", (key, cell, expected) => {
    expect(isOptOut(column(key), cell)).toBe(expected);
  });
});
