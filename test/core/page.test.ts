import { describe, expect, it } from "vitest";
import { BadRequest } from "../../src/core/errors";
import { newId, textOf } from "../../src/core/ids";
import { ById, type Filters, pageOf, readCursor, writeCursor } from "../../src/core/page";

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `row-${index + 1}`, secret: "x" }));
const toJson = ({ id }: { id: string }) => ({ id });

describe("pageOf", () => {
  it.each<[what: string, rows: number, limit: number, shown: number, hasMore: boolean]>([
    ["nothing", 0, 20, 0, false],
    ["fewer rows than asked for", 3, 20, 3, false],
    ["exactly as many rows as asked for", 20, 20, 20, false],
    ["one row too many", 21, 20, 20, true],
    ["a page of one, and more", 2, 1, 1, true],
    ["a page of one, the last", 1, 1, 1, false],
  ])("%s", (_, count, limit, shown, hasMore) => {
    const page = pageOf(rowsOf(count), limit, 7, toJson);
    expect(page).toEqual({
      data: rowsOf(shown).map(toJson),
      cursor: hasMore ? expect.stringMatching(/.+/) : "",
      hasMore,
      total: 7,
    });
  });

  it("never shows a row as it is", () => {
    expect(JSON.stringify(pageOf(rowsOf(3), 2, 3, toJson))).not.toContain("secret");
  });

  it("gives a cursor that leads on after the last row shown", () => {
    expect(readCursor(pageOf(rowsOf(3), 2, 0, toJson).cursor, ById)).toEqual(["row-2"]);
  });

  it("leads through a whole list, page by page, and shows each row once", () => {
    const all = rowsOf(45);
    const seen: string[] = [];
    let cursor = "";
    do {
      const [after = null] = readCursor(cursor, ById) ?? [];
      const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const page = pageOf(all.slice(start, start + 21), 20, 0, toJson);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== "");
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it("gives a cursor that survives in a query string unescaped", () => {
    for (let i = 0; i < 200; i++) {
      const { cursor } = pageOf([{ id: textOf(newId()) }, { id: textOf(newId()) }], 1, 0, toJson);
      expect(new URLSearchParams(`cursor=${cursor}`).get("cursor")).toBe(cursor);
    }
  });
});

const asCursor = (content: unknown) => btoa(JSON.stringify(content)).replace(/=+$/, "");
const ofNoFilters: string = JSON.parse(atob(writeCursor(["row-1"]))).of;

describe("readCursor", () => {
  it.each<[what: string, filters: Filters, others: Filters]>([
    ["another value", { status: "SENT" }, { status: "FAILED" }],
    ["a filter more", {}, { status: "SENT" }],
    ["a filter less", { status: "SENT" }, {}],
    ["the same value for another filter", { sort: "a" }, { dir: "a" }],
    ["a text that reads like a number", { search: "1" }, { search: 1 }],
  ])("refuses a cursor of a list with %s", (_, filters, others) => {
    const cursor = writeCursor(["row-1"], filters);
    expect(() => readCursor(cursor, ById, others)).toThrow(/other filters/);
  });

  it("takes the same filters in another order, and one left out for one not given", () => {
    const cursor = writeCursor(["row-1"], { search: "Ünïcode ✓", subscribed: true });
    expect(readCursor(cursor, ById, { subscribed: true, sort: undefined, search: "Ünïcode ✓" })).toEqual(["row-1"]);
  });

  it("keeps any text of a position", () => {
    expect(readCursor(writeCursor(["ü@例え.test ✓"]), ById)).toEqual(["ü@例え.test ✓"]);
  });

  it.each([undefined, ""])("starts at the first page on %j", (cursor) => {
    expect(readCursor(cursor, ById)).toBeNull();
  });

  it.each<[what: string, cursor: string]>([
    ["not base64", "%%%"],
    ["a word", "next"],
    ["a page number", "2"],
    ["an id", "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10"],
    ["base64 of no JSON", btoa("hello there")],
    ["base64 of nothing", btoa(" ")],
    ["base64 of null", btoa("null")],
    ["base64 of a number", btoa("1")],
    ["base64 of a text", btoa('"row-1"')],
    ["base64 of a list", btoa('["row-1"]')],
    ["an object without a position", btoa("{}")],
    ["a position that is no list", asCursor({ after: "row-1", of: ofNoFilters })],
    ["a position that is a number", asCursor({ after: [1], of: ofNoFilters })],
    ["a position that is null", asCursor({ after: [null], of: ofNoFilters })],
    ["a position that is an object", asCursor({ after: [{ $gt: "" }], of: ofNoFilters })],
    ["a position with too many parts", writeCursor(["row-1", "row-2"])],
    ["a position without its list", asCursor({ after: ["row-1"] })],
    ["a cursor that was cut off", writeCursor(["row-1"]).slice(0, -6)],
    ["characters outside Latin-1", "カーソル"],
  ])("refuses %s as a bad request", (_, cursor) => {
    expect(() => readCursor(cursor, ById)).toThrow(BadRequest);
  });
});
