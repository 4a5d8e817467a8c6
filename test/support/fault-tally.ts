import { expect } from "vitest";
import faults from "../../docs/faults.md?raw";
import type { FaultName } from "./database-fault";
import { isDeep } from "./sample";

/** What a fault did to work, beside the same work without one. */
export interface Harm {
  lost: number;
  doubled: number;
  stuck: number;
}

export const unharmed: Harm = { lost: 0, doubled: 0, stuck: 0 };

/** The kinds of paths, as the first table of docs/faults.md calls them. */
export type PathKind = "Operations" | "Pages of recipients" | "Reports of providers" | "Messages" | "Ticks" | "Objects";

const columns: readonly (FaultName | keyof Harm)[] = [
  ...(["answer lost", "connection lost", "storage reset", "code updated", "overloaded"] as const),
  ...(["lost", "doubled", "stuck"] as const),
];

/** Counts the paths of a kind that met each fault, and what became of their work. */
export class FaultTally {
  private readonly met = new Map<FaultName, Set<string>>();
  private readonly harm: Harm = { ...unharmed };

  constructor(readonly kind: PathKind) {}

  /** A path has met a fault, and its end was compared. */
  add(path: string, fault: FaultName, harm: Harm): void {
    this.met.set(fault, (this.met.get(fault) ?? new Set()).add(path));
    for (const name of ["lost", "doubled", "stuck"] as const) this.harm[name] += harm[name];
  }

  hasMet(path: string, fault: FaultName): boolean {
    return this.met.get(fault)?.has(path) ?? false;
  }

  row(): number[] {
    const counted = { ...Object.fromEntries([...this.met].map(([fault, paths]) => [fault, paths.size])), ...this.harm };
    return columns.map((name) => (counted as Record<string, number>)[name] ?? 0);
  }

  /** What was compared is what docs/faults.md says, and nothing was harmed. A run with a part of the faults has all paths. */
  expectAsDocumented(isWhole = isDeep): void {
    expect(this.row().slice(-3), "lost, doubled, stuck").toEqual([0, 0, 0]);
    const found = isWhole ? this.row() : [this.paths()];
    const documented = documentedRow(this.kind);
    expect(found, `${this.kind}, in docs/faults.md`).toEqual(isWhole ? documented : [Math.max(...documented)]);
  }

  /** The number of paths that met any fault. */
  private paths(): number {
    return new Set([...this.met.values()].flatMap((paths) => [...paths])).size;
  }
}

function documentedRow(kind: PathKind): number[] {
  const line = faults.split("\n").find((text) => new RegExp(`^\\| ${kind} +\\| +\\d`).test(text)) ?? "";
  return line.split("|").slice(2, -1).map(Number);
}

/**
 * Compares rows, each of which begins with the name of its table: a table with fewer of them has lost some, one with more has
 * doubled some, and one with as many others is not where it should be.
 */
export function harmBetween(good: readonly string[], found: readonly string[]): Harm {
  const harm = { ...unharmed };
  const byTable = (rows: readonly string[]) => Map.groupBy(rows, (row) => row.slice(0, row.indexOf(" ")));
  const [before, after] = [byTable(good), byTable(found)];
  for (const table of new Set([...before.keys(), ...after.keys()])) {
    const [wanted, had] = [before.get(table) ?? [], after.get(table) ?? []];
    harm.lost += Math.max(0, wanted.length - had.length);
    harm.doubled += Math.max(0, had.length - wanted.length);
    if (wanted.length === had.length) harm.stuck += countOthers(wanted, had);
  }
  return harm;
}

function countOthers(wanted: string[], had: string[]): number {
  const left = [...wanted];
  return had.filter((row) => {
    const index = left.indexOf(row);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  }).length;
}

export function harmOfCounts(wanted: number, had: number): Harm {
  return { lost: Math.max(0, wanted - had), doubled: Math.max(0, had - wanted), stuck: 0 };
}

export function sumOf(...harms: Harm[]): Harm {
  const total = { ...unharmed };
  for (const harm of harms) for (const name of ["lost", "doubled", "stuck"] as const) total[name] += harm[name];
  return total;
}
