import { and, asc, count, gt } from "drizzle-orm";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { maxRowsPerStatement } from "../../db/limits";
import { inProject } from "../../db/scope";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";
import { suppressionJson } from "./suppression";

const maxCounted = maxRowsPerStatement;

/** Returns a page of the suppression list, sorted by address. */
export async function listSuppressions(
  ctx: Context,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Page<ReturnType<typeof suppressionJson>>> {
  const [after = null] = readCursor(cursor, ById) ?? [];
  const afterCursor = after === null ? undefined : gt(suppressions.email, after);
  const counted = ctx.db.select().from(suppressions).where(inProject(ctx)).limit(maxCounted).as("counted");
  const [rows, totals] = await Promise.all([
    ctx.db
      .select()
      .from(suppressions)
      .where(and(inProject(ctx), afterCursor))
      .orderBy(asc(suppressions.email))
      .limit(limit + 1),
    after === null ? ctx.db.select({ total: count() }).from(counted) : [],
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const total = totals[0]?.total ?? 0;
  return {
    data: shown.map(suppressionJson),
    cursor: last ? writeCursor([last.email]) : "",
    hasMore: last !== undefined,
    total,
    ...(total === maxCounted ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}
