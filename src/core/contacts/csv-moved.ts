import { isStorable } from "../storable";
import { contactSources } from "./source";

/**
 * The columns about the contact itself that an import takes with `columns=all`, for customers who move from another
 * service: the contact's creation, confirmation, opt-out, source and topics.
 */
const movedColumns = ["createdAt", "confirmedAt", "optedOutAt", "source", "topics"] as const;

/** The positions of these columns in the file. */
export type MovedColumns = ReadonlyMap<(typeof movedColumns)[number], number>;

/** The limits against which their cells are checked. */
export interface MovingIn {
  /** In milliseconds. A later time in a cell is a fault. */
  now: number;
  /** The slugs of the project's topics. */
  topics: ReadonlySet<string>;
}

/** The values in a row's cells. Times are milliseconds. */
export interface Moved {
  createdAt?: number;
  confirmedAt?: number;
  optedOutAt?: number;
  source?: (typeof contactSources)[number];
  /** All topics that the contact is in, as `|news|offers|`. */
  topics?: string;
}

export type MovedFault = "invalid_time" | "invalid_source" | "unknown_topic";

/** Finds the columns by these names, in any case; a fault when a name occurs twice. */
export function findMoved(
  onlyColumn: (name: string) => number | null | { fault: string },
): MovedColumns | { fault: string } {
  const columns = new Map<(typeof movedColumns)[number], number>();
  for (const name of movedColumns) {
    const at = onlyColumn(name);
    if (typeof at === "number") columns.set(name, at);
    else if (at !== null) return at;
  }
  return columns;
}

/** Reads these cells of a row. An empty cell sets nothing. */
export function readMoved(columns: MovedColumns, cells: string[], moving: MovingIn): Moved | MovedFault {
  const moved: Moved = {};
  for (const [name, at] of columns) {
    const text = cells[at]?.trim() ?? "";
    if (text === "") continue;
    if (name === "source") {
      const source = contactSources.find((known) => known === text.toUpperCase());
      if (source === undefined) return "invalid_source";
      moved.source = source;
    } else if (name === "topics") {
      const slugs = text.split("|").flatMap((slug) => slug.trim() || []);
      if (!slugs.every((slug) => isStorable(slug) && moving.topics.has(slug))) return "unknown_topic";
      moved.topics = `|${slugs.join("|")}|`;
    } else {
      const time = timeIn(text);
      if (!(time >= 0 && time <= moving.now)) return "invalid_time";
      moved[name] = time;
    }
  }
  return moved;
}

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A date, or a time with or without its zone, by default UTC. NaN for anything else. */
function timeIn(text: string): number {
  const [, date, time = "00:00", zone = "Z"] = timePattern.exec(text) ?? [];
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase();
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset}`);
}
