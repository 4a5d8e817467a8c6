import { describe, expect, it } from "vitest";
import {
  type Csv,
  countRows,
  maxBytesOfWindow,
  openCsv,
  type RowStart,
  readRows,
} from "../../../src/core/contacts/csv";
import type { CsvFault } from "../../../src/core/contacts/csv-columns";
import { type CsvPlace, firstRowIn, type LargeFile, placesIn, readHead } from "../../../src/core/contacts/csv-windows";

const utf8 = (text: string) => new TextEncoder().encode(text);

type Row = [row: number, ...cells: string[]];

function take(csv: Csv, from: RowStart, most = Number.POSITIVE_INFINITY): { rows: Row[]; next: RowStart | null } {
  const rows: Row[] = [];
  const read = readRows(csv, from, (cells, row) => rows.push([row, ...cells]) < most);
  if ("fault" in read) throw new Error(read.fault);
  return { rows, next: read.next };
}

function opened<T extends object>(found: T): Exclude<T, CsvFault> {
  if ("fault" in found) throw new Error(String(found.fault));
  // No other shape of these tests has a fault.
  return found as Exclude<T, CsvFault>;
}

/** A file that remembers what was read of it. */
function fileOf(bytes: Uint8Array): LargeFile & { reads: number[] } {
  const reads: number[] = [];
  return {
    ...{ size: bytes.byteLength, reads },
    read: async (from, length) => {
      reads.push(length);
      return bytes.subarray(from, from + length);
    },
  };
}

/** All rows, with the place after each chunk as the job stores it: each chunk is opened by another run, or by the same. */
async function rowsOf(bytes: Uint8Array, atOnce: number, most: number, isNewRun: boolean): Promise<Row[]> {
  const file = fileOf(bytes);
  const start = await readHead(file);
  const head = opened(openCsv(start.bytes, {}, start.endsFile));
  let open = placesIn(file, head, atOnce);
  const all: Row[] = [];
  for (let at: RowStart | null = firstRowIn(head, start.bytes); at !== null; ) {
    const place: CsvPlace = opened(await open(at));
    const { rows, next } = take(place.csv, place.start, most);
    all.push(...rows);
    at = next && place.stored(next);
    if (isNewRun) open = placesIn(file, head, atOnce);
  }
  return all;
}

describe("a file that is read in parts", () => {
  const files = {
    "with quoted line ends and quotes": 'email,note\na@b.co,"one\ntwo"\nc@d.co,"a ""b"""\n"e@f.co","x,\r\ny"\ng@h.co,',
    "with characters of two to four bytes": "email,name\na@b.co,Zoë\nc@d.co,名前\ne@f.co,👩‍👩‍👧\ng@h.co,é",
    "with CR LF, blank lines and a byte order mark":
      "\ufeffemail;name\r\n\r\n\r\na@b.co;Ä\r\n;\r\n\r\nc@d.co;\ufeffB\r\n\r\n",
    "with CR": 'email\tname\ra@b.co\t"ü\rß"\rc@d.co\tC\r',
  };
  const cases = Object.entries(files).flatMap(([name, text]) =>
    [1, 2, 3, 1_000].flatMap((most) => [true, false].map((isNewRun) => ({ name, text, most, isNewRun }))),
  );

  it.each(cases)("$name, $most rows in a chunk, in new runs: $isNewRun: has the same rows", async (given) => {
    const bytes = utf8(given.text);
    const whole = opened(openCsv(bytes));
    const { rows } = take(whole, whole.firstRow);
    expect(rows.length).toBeGreaterThan(1);
    for (let atOnce = 1; atOnce <= bytes.byteLength + 1; atOnce++) {
      expect([atOnce, await rowsOf(bytes, atOnce, given.most, given.isNewRun)]).toEqual([atOnce, rows]);
    }
  });

  it("is read once for many chunks, and only from where a run continues", async () => {
    const lines = Array.from({ length: 300_000 }, (_, n) => `person${n}@example.com,${n}`);
    const bytes = utf8(["email,n", ...lines].join("\n"));
    const file = fileOf(bytes);
    const { bytes: start } = await readHead(file);
    const head = opened(openCsv(start, {}, false));
    const open = placesIn(file, head);
    let rows = 0;
    for (let at: RowStart | null = firstRowIn(head, start); at !== null; ) {
      const place: CsvPlace = opened(await open(at));
      const read = take(place.csv, place.start, 1_000);
      rows += read.rows.length;
      at = read.next && place.stored(read.next);
    }
    expect(rows).toBe(lines.length);
    const megabyte = 1024 * 1024;
    // The header, and then windows of four megabytes, which overlap by less than a row.
    expect(file.reads).toHaveLength(1 + Math.ceil(bytes.byteLength / (4 * megabyte)));
    const last = placesIn(file, head);
    const place = opened(await last({ cursor: bytes.byteLength - utf8(lines.at(-1) ?? "").byteLength, row: 300_001 }));
    expect(take(place.csv, place.start)).toEqual({
      rows: [[300_001, "person299999@example.com", "299999"]],
      next: null,
    });
  });

  it("is refused where it is not UTF-8, also in the bytes that a part cuts off", async () => {
    const text = utf8("email,name\na@b.co,Zoë\nc@d.co,C\n");
    const at = text.indexOf(0xc3);
    for (const bytes of [text.with(at + 1, 0x41), text.with(at, 0xff), text.subarray(0, at + 1)]) {
      for (let atOnce = 1; atOnce <= bytes.byteLength; atOnce++) {
        await expect(rowsOf(bytes, atOnce, 1, true)).rejects.toThrow(/not UTF-8/);
      }
    }
  });

  it("is refused where a row is too long, or a quote is never closed", async () => {
    for (const bytes of [
      `email,n\na@b.co,${"x".repeat(maxBytesOfWindow)}\n`,
      `email,n\na@b.co,"${"\n".repeat(maxBytesOfWindow)}`,
    ]) {
      const file = fileOf(utf8(bytes));
      const { bytes: start, endsFile } = await readHead(file);
      const head = opened(openCsv(start, {}, endsFile));
      const place = opened(await placesIn(file, head, 100)(firstRowIn(head, start)));
      expect(countRows(place.csv, place.start)).toEqual({ fault: expect.stringMatching(/^Row 2 is longer than/) });
    }
  });
});
