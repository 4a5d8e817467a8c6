import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { textOf } from "../../core/ids";
import { cursorPage, type Page, readCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import type { CursorQuery } from "../../db/list-rows";
import { asId, asNumber, columns, orNull, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { jobs } from "../../db/tables";
import type { Context } from "../../platform/context";
import { jobJson } from "./job";
import type { JobFilters } from "./schema";

/**
 * The maximum number of jobs that one statement scans. An index for each filter would write more rows with every change
 * of a job, so a filter scans the newest jobs instead. If the window ends before the page is full, the page is shorter,
 * and the cursor continues at the end of the window.
 */
const windowRows = maxRowsPerStatement;

/**
 * A position in the list: the time of creation and the id. The id alone does not suffice, because a job with a fixed id
 * can be started again later.
 */
const Position = z.tuple([z.number(), z.string()]);

/** Implements `GET /jobs`: returns a page of jobs, newest first. Throws BadRequest for a cursor of another list. */
export async function listJobs(
  ctx: Context,
  filters: JobFilters,
  { cursor, limit }: CursorQuery,
): Promise<Page<ReturnType<typeof jobJson>>> {
  const after = readCursor(cursor, Position, filters);
  const isAfter = after === null ? sql`` : sql` AND (created_at, id) < (${after[0]}, ${after[1]})`;
  const window = sql`SELECT id, created_at, status, type FROM jobs INDEXED BY ix_jobs_list
    WHERE ${inProject(ctx)}${isAfter} ORDER BY created_at DESC, id DESC LIMIT ${windowRows}`;
  const isMatch = conditionOf(filters);
  const batch = openBatch(ctx);
  const matches = batch.add(
    statement(
      sql`SELECT j.* FROM (SELECT id FROM (${window}) WHERE ${isMatch}
          ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}) page
        CROSS JOIN jobs j ON ${inProject(ctx, "j")} AND j.id = page.id`,
      wholeRow(jobs),
    ),
  );
  // A later page without filters needs neither a count nor the end of the window: the page simply ends with its last
  // job.
  const isFiltered = filters.status !== undefined || filters.type !== undefined;
  const scanned =
    after === null || isFiltered ? batch.add(statement(selectScanned(window, isMatch), readScanned)) : null;
  await batch.commit();
  const rows = matches.all.toSorted((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const { matching = 0, edgeAt = null, edgeId = null } = scanned?.one ?? {};
  const edge = edgeAt === null || edgeId === null ? null : [edgeAt, textOf(edgeId)];
  return cursorPage(shown.map(jobJson), {
    next: last ? [last.createdAt, textOf(last.id)] : edge,
    filters,
    total: after === null ? (matching ?? 0) : 0,
    countedAt: after === null && edge !== null ? ctx.now : null,
  });
}

const readScanned = columns({ matching: orNull(asNumber), edgeAt: orNull(asNumber), edgeId: orNull(asId) });

/** Selects the number of matches in the window and, if the window is full, the window's last job. */
function selectScanned(window: SQL, isMatch: SQL): SQL {
  const edge = sql`FROM (${window}) LIMIT 1 OFFSET ${windowRows - 1}`;
  return sql`SELECT sum(${isMatch}) AS matching, (SELECT created_at ${edge}) AS edge_at, (SELECT id ${edge}) AS edge_id
    FROM (${window})`;
}

function conditionOf({ status, type }: JobFilters): SQL {
  return sql`${status === undefined ? sql`true` : sql`status = ${status}`}
    AND ${type === undefined ? sql`true` : sql`type = ${type}`}`;
}
