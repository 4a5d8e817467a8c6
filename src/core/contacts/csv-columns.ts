import { type Mapping, type Target, targetsOf } from "./csv-mapping";
import { findMoved, type MovedColumns, type MovingIn } from "./csv-moved";
import { findOptOuts, type OptOutColumn } from "./csv-opt-out";
import { ContactData, readData } from "./data";
import { standardFields } from "./standard-fields";

/** The columns of a file, by their use. */
export interface CsvColumns {
  /** The names in the header. */
  names: string[];
  /** The position of the column with the addresses. */
  emailAt: number;
  /** The position of the column `subscribed`, when the caller asked to use it. */
  subscribedAt: number | null;
  /** The position of the column `subscribed`, when the caller did not ask to use it. */
  unheededAt: number | null;
  /**
   * The columns that describe the contact itself (for customers who move from another service) and the limits of their
   * cells; null when the caller did not ask for them.
   */
  moved: { at: MovedColumns; by: MovingIn } | null;
  /** The columns that become data. */
  columns: { at: number; key: string }[];
  /** The data columns whose names suggest opt-outs. */
  optOuts: OptOutColumn[];
  /** The names of dropped columns, to report them to the caller. */
  dropped: string[];
}

/** The reason why a file cannot be imported at all, as a sentence. */
export interface CsvFault {
  fault: string;
  /** The column of the mapping that causes the fault. */
  mapped?: string;
}

/** The columns that an import uses in addition to addresses and data. */
export interface Taken {
  takesSubscribed?: boolean;
  /** When set, the columns that describe the contact itself are used too. */
  movingIn?: MovingIn | null;
  /** Whether only columns that the mapping names can describe the contact itself. */
  movesMappedOnly?: boolean;
  mapping?: Mapping;
}

export const noEmailColumn =
  "The file has no column named email. Its first row must name the columns, and one of them must be email, or a mapping must say which one is.";

const noSubscribedColumn =
  "The file has no column named subscribed, which the form field subscribed=column asks for. Add the column, or omit the form field.";

/** Whether one of the columns contains the address. */
export function namesEmail(names: string[], taken: Taken): boolean {
  return targetsOf(names, taken).some(({ field }) => field === "email");
}

/**
 * Columns that never become data: the standard fields, and columns without a name. `dataColumns` also leaves out a
 * column `subscribed`, ignoring case, and the reserved keys of data.
 */
const droppedColumns = new Set<string>(["", ...standardFields]);

/** Determines the use of each column. */
export function layOut(names: string[], taken: Taken): CsvColumns | CsvFault {
  const { takesSubscribed = false, movingIn = null, mapping = {} } = taken;
  const unknown = Object.keys(mapping).find((name) => !names.includes(name));
  if (unknown !== undefined) return { mapped: unknown, fault: noSuchColumn(unknown, names) };
  const targets = targetsOf(names, taken);
  const only = (field: string) => onlyColumn(names, targets, field, mapping);
  const emailAt = only("email");
  if (emailAt === null) return { fault: noEmailColumn };
  if (typeof emailAt !== "number") return emailAt;
  const subscribedAt = takesSubscribed ? only("subscribed") : null;
  if (takesSubscribed && subscribedAt === null) return { fault: noSubscribedColumn };
  if (subscribedAt !== null && typeof subscribedAt !== "number") return subscribedAt;
  const movedAt = movingIn && findMoved((name) => only(name.toLowerCase()));
  if (movedAt && "fault" in movedAt) return movedAt;
  const own = new Set([emailAt, ...(subscribedAt === null ? [] : [subscribedAt]), ...(movedAt?.values() ?? [])]);
  const columns = dataColumns(names, targets, own, mapping);
  if ("fault" in columns) return columns;
  const used = new Set([...own, ...columns.map(({ at }) => at)]);
  const unheededAt = targets.findIndex(({ field }) => field === "subscribed");
  return {
    names,
    emailAt,
    subscribedAt,
    unheededAt: takesSubscribed || unheededAt < 0 ? null : unheededAt,
    moved: movingIn && movedAt && { at: movedAt, by: movingIn },
    columns,
    optOuts: findOptOuts(columns.map(({ at }) => ({ at, key: names[at] ?? "" }))),
    dropped: [...new Set(names.filter((name, at) => name !== "" && !used.has(at)))]
      .slice(0, mostColumnsShown)
      .map(shorten),
  };
}

/** Returns the columns that become data. A column is dropped when its name is not allowed as a key of data. */
function dataColumns(
  names: string[],
  targets: Target[],
  own: ReadonlySet<number>,
  mapping: Mapping,
): { at: number; key: string }[] | CsvFault {
  const named = targets
    .map(({ key, field }, at) => ({ key: field === "subscribed" ? "" : (key ?? ""), at }))
    .filter(({ key, at }) => !own.has(at) && !droppedColumns.has(key));
  const sample = Object.fromEntries(named.map(({ key }) => [key, "text"]));
  const issue = ContactData.safeParse(sample).error?.issues[0];
  if (issue) {
    const where = issue.path[0] === undefined ? "The header row" : `The column ${shorten(String(issue.path[0]))}`;
    return { fault: `${where} cannot be imported: ${issue.message}.` };
  }
  const { patch } = readData(sample);
  const columns = named.filter(({ key }) => Object.hasOwn(patch, key));
  const seen = new Map<string, number>();
  for (const { key, at } of columns) {
    const earlier = seen.get(key);
    if (earlier !== undefined) return twoColumns(names, [earlier, at], `data.${key}`, mapping);
    seen.set(key, at);
  }
  return columns;
}

/**
 * Returns the position of the only column that is mapped to this field; null when there is none, and a fault when there
 * are two.
 */
function onlyColumn(names: string[], targets: Target[], wanted: string, mapping: Mapping): number | null | CsvFault {
  const isWanted = ({ field }: Target) => field === wanted;
  const at = targets.findIndex(isWanted);
  if (at < 0) return null;
  const last = targets.findLastIndex(isWanted);
  return last === at ? at : twoColumns(names, [at, last], wanted, mapping);
}

function twoColumns(names: string[], at: [number, number], field: string, mapping: Mapping): CsvFault {
  const [one = "", other = ""] = at.map((position) => names[position]);
  const mapped = [other, one].find((name) => Object.hasOwn(mapping, name));
  if (mapped === undefined) return { fault: `Two columns are named ${shorten(one)}. Remove or rename one of them.` };
  const which =
    one === other ? `Two columns are named ${shorten(one)}` : `The columns ${shorten(one)} and ${shorten(other)}`;
  return {
    mapped,
    fault: `${which}${one === other ? ", and" : ""} would both become ${shorten(field)}. Map one of them to another field, or to null.`,
  };
}

function noSuchColumn(name: string, names: string[]): string {
  const shown = names.slice(0, mostColumnsShown).map(shorten).join(", ");
  return `The file has no column ${shorten(name)}. Its columns are ${shown}${names.length > mostColumnsShown ? " …" : ""}.`;
}

const mostColumnsShown = 100;

function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name;
}
