import { type SQL, sql } from "drizzle-orm";
import { maxRowsPerStatement } from "../../../db/limits";
import type { Context } from "../../../platform/context";
import type { Field } from "./field";

/** Figures are live and exact for so many contacts. Of a larger project the newest are looked at. */
export const maxLive = maxRowsPerStatement;

/** A table of the newest contacts: of all, while the project is not large. Nobody is looked at unless `onlyIf`. */
export function newestContacts(ctx: Context, columns: SQL, onlyIf: SQL = sql`true`): SQL {
  return sql`(SELECT ${columns} FROM contacts WHERE project_id = ${ctx.project.number}
    ORDER BY id DESC LIMIT CASE WHEN ${onlyIf} THEN ${maxLive} ELSE 0 END)`;
}

/** How many contacts have a field. `countedAt` is null when that is exact, and of now. */
export interface Coverage {
  contacts: number;
  countedAt: number | null;
}

/**
 * The best that is known. `seen` is how many of the newest contacts have the field: that is the answer for a project
 * that is not large, and a sample for a field of a large one that has not been counted yet.
 */
export function coverageOf({ total, counted }: Field, seen: number, now: Date): Coverage {
  if (total <= maxLive) return { contacts: seen, countedAt: null };
  if (counted) return { contacts: Math.min(counted.contacts, total), countedAt: counted.at };
  return { contacts: Math.round((seen / maxLive) * total), countedAt: now.getTime() };
}
