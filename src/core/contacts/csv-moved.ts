import { isStorable } from "../storable";
import type { ContactColumn, contactColumns, NameWith } from "./columns";
import { columnNamed, columnsWith } from "./columns-with";

export type MovedColumn = NameWith<"imported">;

/**
 * The names about the contact itself that an import takes with `columns=all`, for customers who move from another
 * service: columns of contacts, and the contact's topics.
 */
const movedNames = [...columnsWith("imported"), "topics"] as const;

/** These names as the API document lists them. */
export const movedNamesListed = listed(movedNames);

const movedFields = new Set(movedNames.map((name) => name.toLowerCase()));

/** Whether a name in lower case is one of these. */
export function isMovedName(name: string): boolean {
  return movedFields.has(name);
}

/** The positions of these columns in the file. */
export type MovedColumns = ReadonlyMap<(typeof movedNames)[number], number>;

/** The limits against which their cells are checked. */
export interface MovingIn {
  /** In milliseconds. A later time in a cell is a fault. */
  now: number;
  /** The slugs of the project's topics. */
  topics: ReadonlySet<string>;
}

/** The values in a row's cells. Times are milliseconds. */
export type Moved = {
  [Name in MovedColumn]?: (typeof contactColumns)[Name]["kind"] extends "time" ? number : string;
} & {
  /** All topics that the contact is in, as `|news|offers|`. */
  topics?: string;
};

export type MovedFault = "invalid_time" | `invalid_${NameWith<"words">}` | "unknown_topic";

export const movedFaults: readonly MovedFault[] = [
  "invalid_time",
  ...columnsWith("words").map((name) => `invalid_${name}` as const),
  "unknown_topic",
];

/** Finds the columns by these names, in any case; a fault when a name occurs twice. */
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

/** Reads these cells of a row. An empty cell sets nothing. */
export function readMoved(columns: MovedColumns, cells: string[], moving: MovingIn): Moved | MovedFault {
  const moved: Record<string, string | number> = {};
  for (const [name, at] of columns) {
    const text = cells[at]?.trim() ?? "";
    if (text === "") continue;
    const value = name === "topics" ? topicsIn(text, moving) : valueIn(text, columnNamed(name), moving);
    if (value === null) return faultOf(name);
    moved[name] = value;
  }
  // Each name has a value of the kind of its column.
  return moved as Moved;
}

/** Returns the slugs in a cell, between bars; null when one of them is no topic. */
function topicsIn(text: string, { topics }: MovingIn): string | null {
  const slugs = text.split("|").flatMap((slug) => slug.trim() || []);
  return slugs.every((slug) => isStorable(slug) && topics.has(slug)) ? `|${slugs.join("|")}|` : null;
}

/** Returns the value of a column in a cell: one of its words, or a time; null for anything else. */
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

/** A date, or a time with or without its zone, by default UTC. NaN for anything else. */
function timeIn(text: string): number {
  const [, date, time = "00:00", zone = "Z"] = timePattern.exec(text) ?? [];
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase();
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset}`);
}
