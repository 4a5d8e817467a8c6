import { describe, expect, it } from "vitest";
import { z } from "zod";
import { writeCursor } from "../../../src/core/page";
import { masked, RevealingCursor, withoutAddressesIn } from "../../../src/core/people/masked";

const facts = z.object({
  contactId: z.string(),
  at: z.iso.datetime(),
  status: z.enum(["SENT"]),
  n: z.number().nullable(),
});
const someFacts = { contactId: "c", at: "2026-01-31T09:00:00.000Z", status: "SENT", n: 7 };
const data = { plan: "pro", age: 36, vip: true, gone: null, tags: ["Ada"], nested: { Ada: "Ada" } };
const maskedData = { plan: "•••", age: "•••", vip: "•••", gone: null, tags: [], nested: {} };
const anything = z.record(z.string(), z.unknown());

describe("an answer for somebody who sees no personal data", () => {
  it.each([
    ["text of a field that is not known to be ours", z.object({ note: z.string() }), { note: "Ada" }, { note: "•••" }],
    ["names that the team gave", z.object({ name: z.string() }), { name: "Spring" }, { name: "Spring" }],
    [
      "an address in such a name",
      z.object({ name: z.string() }),
      { name: "For a@b.io only" },
      { name: "For ••• only" },
    ],
    [
      "an address in a URL",
      z.object({ message: z.string() }),
      { message: "?to=a%40b.io&x=1" },
      { message: "?to=•••&x=1" },
    ],
    ["ids, times, states and figures", facts, someFacts, someFacts],
    ["a field that the schema does not have", z.object({}), { more: "Ada", list: ["Ada"] }, { more: "•••", list: [] }],
    ["data, with its keys", z.object({ data: anything }), { data }, { data: maskedData }],
    ["a key that is an address", anything, { "a@b.io": 1 }, { "•••": "•••" }],
    ["flags by name", z.record(z.string(), z.boolean()), { news: true }, { news: true }],
    ["lists", z.array(z.object({ to: z.string(), n: z.int() })), [{ to: "a@b.io", n: 3 }], [{ to: "•••", n: 3 }]],
    ["one of several forms", z.union([z.null(), z.object({ id: z.string() })]), { id: "x" }, { id: "x" }],
    ["an answer without a schema", undefined, { data: { name: "Ada" } }, { data: {} }],
  ] as const)("%s", (_, schema, answer, shown) => {
    expect(masked(answer, schema)).toEqual(shown);
  });

  it("has a cursor only if the cursor holds ids and numbers", () => {
    const page = z.object({ cursor: z.string() });
    for (const cursor of ["", writeCursor([7, "0".repeat(22)])]) expect(masked({ cursor }, page)).toEqual({ cursor });
    for (const cursor of [writeCursor(["ada@example.com"]), writeCursor(["Ada"])]) {
      expect(() => masked({ cursor }, page)).toThrow(RevealingCursor);
    }
  });

  it("has no address in any text of a refusal", () => {
    const refusal = { error: { message: "No contact a@b.io.", errors: [{ received: "a@b.io" }], statusCode: 404 } };
    const shown = { error: { message: "No contact •••", errors: [{ received: "•••" }], statusCode: 404 } };
    expect(withoutAddressesIn(refusal)).toEqual(shown);
  });
});
