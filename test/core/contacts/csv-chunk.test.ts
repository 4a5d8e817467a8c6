import { describe, expect, it } from "vitest";
import { openCsv } from "../../../src/core/contacts/csv";
import {
  type CsvChunk,
  contactsOf,
  readChunk,
  rowsBeforeRepeat,
  rowsPerChunk,
  typesOf,
  withoutTooLarge,
} from "../../../src/core/contacts/csv-chunk";

/** Every chunk of a file. */
function chunksOf(file: string): CsvChunk[] {
  const csv = openCsv(new TextEncoder().encode(file));
  if ("fault" in csv) throw new Error(csv.fault);
  const chunks: CsvChunk[] = [];
  for (let place: CsvChunk["next"] = csv.firstRow; place !== null; ) {
    const chunk = readChunk(csv, place);
    if ("fault" in chunk) throw new Error(chunk.fault);
    chunks.push(chunk);
    place = chunk.next;
  }
  return chunks;
}

function chunkOf(...lines: string[]): CsvChunk {
  const [chunk, ...others] = chunksOf(lines.join("\n"));
  if (!chunk || others.length > 0) throw new Error("Not one chunk");
  return chunk;
}

const repeats = chunkOf(
  "email,a,b",
  "ada@x.com,1,",
  "nope,,",
  "bob@x.com,x,2026-01-31",
  "ADA@x.com,y,no",
  "cyd@x.com,,",
);

describe("a chunk", () => {
  it("has 1,000 rows, those that are skipped among them, and the numbers they have in the file", () => {
    const lines = Array.from({ length: 2_400 }, (_, n) => (n % 2 ? `u${n}@x.com\n` : "nope\n"));
    const chunks = chunksOf(`email\n\n${lines.join("\n")}`);
    expect(chunks.flatMap(({ rows }) => rows.map(({ row }) => row))).toEqual(
      Array.from({ length: 1_200 }, (_, n) => 2 * n + 3),
    );
    expect(chunks.flatMap(({ skipped }) => skipped.map(({ row }) => row))).toEqual(
      Array.from({ length: 1_200 }, (_, n) => 2 * n + 2),
    );
    for (const { rows, skipped } of chunks) expect(rows.length + skipped.length).toBeLessThanOrEqual(1_000);
  });

  it("has fewer where few cells make much JSON", () => {
    const keys = Array.from({ length: 400 }, (_, n) => `${"k".repeat(120)}${n}`);
    const lines = Array.from({ length: 300 }, (_, n) => `u${n}@x.com${",1".repeat(400)}`);
    const chunks = chunksOf([`email,${keys}`, ...lines].join("\n"));
    expect(chunks.flatMap(({ rows }) => rows.map(({ email }) => email))).toEqual(lines.map((_, n) => `u${n}@x.com`));
    for (const { rows } of chunks) expect(JSON.stringify(rows).length).toBeLessThan(500_000);
  });

  it("names each address once, with later rows over earlier ones", () => {
    expect(contactsOf(repeats)).toEqual([
      { email: "ada@x.com", data: { a: "y", b: false } },
      { email: "bob@x.com", data: { a: "x", b: "2026-01-31" } },
      { email: "cyd@x.com", data: {} },
    ]);
  });

  it("types each key by its first value, whosever it is", () => {
    expect(typesOf(repeats)).toEqual({ a: "number", b: "date" });
  });

  it("knows which rows say no in a column subscribed that nobody asked to take", () => {
    const { rows } = chunkOf(
      "email,Subscribed",
      "a@x.com,no",
      "b@x.com,FALSE",
      "c@x.com, 0 ",
      "d@x.com,yes",
      "e@x.com,left",
    );
    expect(rows.map(({ unheeded }) => unheeded.says)).toEqual(["no", "no", "no", null, "unclear"]);
  });

  it("has so many rows before an address comes again", () => {
    expect(rowsBeforeRepeat(repeats)).toBe(3);
    expect(rowsBeforeRepeat(chunkOf("email", "a@x.com", "a@x.com"))).toBe(1);
    expect(rowsBeforeRepeat(chunkOf("email", "a@x.com", "nope", "b@x.com", "nope"))).toBe(4);
  });

  it("skips rows whose data is too large, in their order", () => {
    const chunk = withoutTooLarge(repeats, new Set(["bob@x.com", "cyd@x.com"]));
    expect(chunk.rows.map(({ row }) => row)).toEqual([2, 5]);
    expect(chunk.skipped).toEqual([
      { row: 3, email: "nope", reason: "invalid_email" },
      { row: 4, email: "bob@x.com", reason: "data_too_large" },
      { row: 6, email: "cyd@x.com", reason: "data_too_large" },
    ]);
  });

  it("skips a row that is more than a contact's data may be", () => {
    const fits = "x".repeat(65_536 - '{"key":""}'.length);
    const { rows, skipped } = chunkOf("email,key", `a@x.com,${fits}`, `b@x.com,${fits}x`);
    expect(rows).toEqual([{ row: 2, unheeded: { says: null, optOuts: [] }, email: "a@x.com", data: { key: fits } }]);
    expect(skipped).toEqual([{ row: 3, email: "b@x.com", reason: "data_too_large" }]);
  });

  it("shows an address that is none cut to 254 characters, and never through the midst of one", () => {
    expect(chunkOf("email", `a${"🎉".repeat(200)}`).skipped[0]?.email).toBe(`a${"🎉".repeat(126)}\ufffd`);
  });
});

it.each([
  [1, 100],
  [900, 100],
  [1_001, 101],
  [10_000, 1_000],
  [1_000_000, 1_000],
])("reads a file of %i rows %i at a time", (total, rows) => {
  expect(rowsPerChunk(total)).toBe(rows);
});
