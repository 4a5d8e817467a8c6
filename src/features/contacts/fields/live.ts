import { type SQL, sql } from "drizzle-orm";
import { maxRowsPerStatement } from "../../../db/limits";
import { inProject } from "../../../db/scope";
import type { Context } from "../../../platform/context";
import type { Field } from "./field";

/**
 * In a project with at most this many contacts, the figures about fields are live and exact. In a larger project, only
 * this many of the newest contacts are read.
 */
export const maxLive = maxRowsPerStatement;

/**
 * Returns a subquery of the newest contacts, which are all contacts unless the project is large. Reads contacts only if
 * `onlyIf` holds.
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
 * Returns the best available number of contacts that have a field. `seen` is how many of the newest contacts have it.
 * In a small project, `seen` is exact. In a large project, `seen` is a sample, which is used until the field has been
 * counted.
 */
export function coverageOf({ total, counted }: Field, seen: number, now: Date): Coverage {
  if (total <= maxLive) return { contacts: seen, countedAt: null };
  if (counted) return { contacts: Math.min(counted.contacts, total), countedAt: counted.at };
  return { contacts: Math.round((seen / maxLive) * total), countedAt: now.getTime() };
}
