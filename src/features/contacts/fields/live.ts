import { type SQL, sql } from "drizzle-orm";
import { maxRowsPerStatement } from "../../../db/limits";
import { inProject } from "../../../db/scope";
import type { Context } from "../../../platform/context";
import type { Field } from "./field";

/** Figures are live and exact up to this many contacts. For a larger project, only its newest contacts are read. */
export const maxLive = maxRowsPerStatement;

/**
 * Returns a subquery of the newest contacts: all of them, unless the project is large. It reads none unless `onlyIf`
 * holds.
 */
export function newestContacts(ctx: Context, columns: SQL, onlyIf: SQL = sql`true`): SQL {
  return sql`(SELECT ${columns} FROM contacts WHERE ${inProject(ctx)}
    ORDER BY id DESC LIMIT CASE WHEN ${onlyIf} THEN ${maxLive} ELSE 0 END)`;
}

/** The number of contacts that have a field. `countedAt` is null when the number is exact and current. */
export interface Coverage {
  contacts: number;
  countedAt: number | null;
}

/**
 * Returns the best number available. `seen` is the number of the newest contacts that have the field: exact unless the
 * project is large, and a sample for a large project's field that has not been counted yet.
 */
export function coverageOf({ total, counted }: Field, seen: number, now: Date): Coverage {
  if (total <= maxLive) return { contacts: seen, countedAt: null };
  if (counted) return { contacts: Math.min(counted.contacts, total), countedAt: counted.at };
  return { contacts: Math.round((seen / maxLive) * total), countedAt: now.getTime() };
}
