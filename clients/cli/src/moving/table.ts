import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import Papa from "papaparse";
import { Refusal } from "../command";

/** The names of a file's columns and their positions, ignoring case and word separators. */
interface Header {
  names: string[];
  at: Map<string, number[]>;
}

export interface Row {
  header: Header;
  cells: string[];
}

export function readTable(file: string): Row[] {
  return rowsOf(readFileSync(file), file);
}

/** Reads a CSV file with a row of names, which may be compressed. Throws Refusal. */
export function rowsOf(bytes: Uint8Array, file: string): Row[] {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = new TextDecoder().decode(isCompressed ? gunzipSync(bytes) : bytes);
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: "greedy" });
  const fault = errors.find(({ type }) => type === "Quotes");
  if (fault) throw new Refusal(`${file}:${(fault.row ?? 0) + 1}: ${fault.message}`);
  const [names = [], ...rows] = data;
  const header = headerOf(names);
  return rows.map((cells) => ({ header, cells }));
}

function headerOf(written: string[]): Header {
  const names = written.map((name) => name.trim());
  const at = new Map<string, number[]>();
  for (const [index, name] of names.entries()) at.set(plain(name), [...(at.get(plain(name)) ?? []), index]);
  return { names, at };
}

/** Takes the cells of a row one by one, by any of several names. Cells that are not taken become the person's data. */
export class Cells {
  readonly #row: Row;
  readonly #taken = new Set<number>();

  constructor(row: Row) {
    this.#row = row;
  }

  take(...names: string[]): string | undefined {
    let found: string | undefined;
    for (const name of names) {
      for (const index of this.#row.header.at.get(plain(name)) ?? []) {
        this.#taken.add(index);
        found ??= this.#row.cells[index]?.trim() || undefined;
      }
    }
    return found;
  }

  /** Returns the cells that were not taken, under the keys that the service's templates use. */
  rest(key: (name: string) => string = (name) => name): Record<string, string> {
    const left: Record<string, string> = {};
    for (const [index, name] of this.#row.header.names.entries())
      if (name !== "" && !this.#taken.has(index)) left[key(name)] = this.#row.cells[index]?.trim() ?? "";
    return left;
  }
}

const plainNames = new Map<string, string>();

/** Returns a name without case and word separators. Results are cached, because names recur with every row. */
function plain(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const made = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  plainNames.set(name, made);
  return made;
}

/** Returns `firstName` for `First Name`, and a name of one word unchanged. */
export function keyOf(name: string): string {
  const words = name.trim().split(/[^\p{L}\p{N}.]+/u);
  if (words.length === 1) return words[0] ?? "";
  return words
    .filter((word) => word !== "")
    .map((word, at) => (at === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()))
    .join("");
}

/** Whether a cell says yes; undefined if it says neither yes nor no. */
export function yesOrNo(cell: string | undefined): boolean | undefined {
  const said = cell?.toLowerCase();
  if (said === "true" || said === "yes" || said === "1") return true;
  return said === "false" || said === "no" || said === "0" ? false : undefined;
}
