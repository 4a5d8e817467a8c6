import { isStorable } from "../storable";
import type { ContactColumn, contactColumns, NameWith } from "./columns";
import { columnNamed, columnsWith } from "./columns-with";

export type MovedColumn = NameWith<"imported">;

/**
 * The names of the CSV columns that describe the contact itself in an import with `columns=all`: columns of `contacts`,
 * and the contact's topics. The option is for customers who move from another service.
 */
const movedNames = [...columnsWith("imported"), "topics"] as const;

/** The names in `movedNames`, as the API document lists them. */
export const movedNamesListed = listed(movedNames);

const movedFields = new Set(movedNames.map((name) => name.toLowerCase()));

/** Whether a lower-case name belongs to a column that describes the contact itself. */
export function isMovedName(name: string): boolean {
  return movedFields.has(name);
}

/** The positions in the file of the columns that describe the contact itself. */
export type MovedColumns = ReadonlyMap<(typeof movedNames)[number], number>;

/** The limits on the cells of the columns that describe the contact itself. */
export interface MovingIn {
  /** The current time in milliseconds. A later time in a cell is an error. */
  now: number;
  /** The slugs of the project's topics. */
  topics: ReadonlySet<string>;
}

/** The values of a row that describe the contact itself. Times are in milliseconds. */
export type Moved = {
  [Name in MovedColumn]?: (typeof contactColumns)[Name]["kind"] extends "time" ? number : string;
} & {
  /** The slugs of all topics that the contact is in, as `|news|offers|`. */
  topics?: string;
};

export type MovedFault = "invalid_time" | `invalid_${NameWith<"words">}` | "unknown_topic";

export const movedFaults: readonly MovedFault[] = [
  "invalid_time",
  ...columnsWith("words").map((name) => `invalid_${name}` as const),
  "unknown_topic",
];

/**
 * Finds the columns that describe the contact itself, ignoring the case of their names. Returns a fault when a name
 * occurs twice.
 */
export function findMoved(
  onlyColumn: (name: string) => number | null | { fault: string },
): MovedColumns | { fault: string } {
  const columns = new Map<(typeof movedNames)[number], number>();
  for (const name of movedNames) {
    const at = onlyColumn(name);
    if (typeof at === "number") columns.set(name, at);
    else if (at !== null) return at;
  }
  return columns;
}

/** Reads the cells of a row that describe the contact itself. An empty cell has no effect. */
export function readMoved(columns: MovedColumns, cells: string[], moving: MovingIn): Moved | MovedFault {
  const moved: Record<string, string | number> = {};
  for (const [name, at] of columns) {
    const text = cells[at]?.trim() ?? "";
    if (text === "") continue;
    const value = name === "topics" ? topicsIn(text, moving) : valueIn(text, columnNamed(name), moving);
    if (value === null) return faultOf(name);
    moved[name] = value;
  }
  // The cast is safe: each value has the type of its column.
  return moved as Moved;
}

/** Returns the slugs in a cell, between bars; null when one of them is not a topic. */
function topicsIn(text: string, { topics }: MovingIn): string | null {
  const slugs = text.split("|").flatMap((slug) => slug.trim() || []);
  return slugs.every((slug) => isStorable(slug) && topics.has(slug)) ? `|${slugs.join("|")}|` : null;
}

/** Returns the value in a cell: one of the column's words, or a time; null for anything else. */
function valueIn(text: string, { words }: ContactColumn, { now }: MovingIn): string | number | null {
  if (words !== undefined) return words.find((word) => word === text.toUpperCase()) ?? null;
  const time = timeIn(text);
  return time >= 0 && time <= now ? time : null;
}

function faultOf(name: MovedColumn | "topics"): MovedFault {
  if (name === "topics") return "unknown_topic";
  return hasWords(name) ? `invalid_${name}` : "invalid_time";
}

function hasWords(name: MovedColumn): name is NameWith<"words"> {
  return columnNamed(name).words !== undefined;
}

/** Writes names as `one`, `two` and `three`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Reads a date, or a time with or without a zone (default: UTC). NaN for anything else. */
function timeIn(text: string): number {
  const [, date, time = "00:00", zone = "Z"] = timePattern.exec(text) ?? [];
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase();
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset}`);
}
