import { type SQL, sql } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import type { Id } from "../../core/ids";
import { maxEvaluatedPerStatement } from "../../db/limits";
import { asId, asJson, asNumber, columns, orNull } from "../../db/rows";
import { select, selectOne } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { pageOf, type ScanPage, selectPage } from "./scan-page";
import type { ScanSource } from "./scan-source";
import { type Direction, ends, type ScanWindow, windowFrom } from "./scan-window";

/** The result of one window of a scan. */
export interface ScannedWindow {
  /** The number of matching contacts. */
  matched: number;
  /** The ids of all matches, when the scan asks for ids. */
  ids: Id[];
  /** The ids of the matches that do not meet `apart`. `ids` does not contain them. */
  others: Id[];
  /** The contacts of the page, in the order of the scan, when the scan asks for a page. */
  contacts: ContactRow[];
  /** The number of rows of the source that were read. The last window of a scan may have fewer. */
  rows: number;
  /** The id after which the next window begins. */
  edge: Id;
  isLast: boolean;
}

export interface ScanOptions {
  direction: Direction;
  /** The id after which the scan begins. Without it, the scan begins at the start. */
  from?: Id;
  /** The results of a window in addition to its counts. */
  want?: "ids" | ScanPage;
  /** A further condition on a contact `c`. Matches that do not meet it are returned as `others`. */
  apart?: SQL;
  /**
   * A second source that the caller also reads up to the edge of each window. The limit on rows then holds for both
   * sources.
   */
  secondSource?: ScanSource;
  /**
   * Returns how many rows the next window should have, for callers that can stop early. Without this function, a window
   * has as many rows as one statement can read.
   */
  rowsOf?: (soFar: { windows: number; matched: number }) => number;
}

/** The limit on what a scan reads. A scan that reaches the limit stops, and `isLast` is false in all its windows. */
interface ScanBudget {
  maxWindows?: number;
  maxRows?: number;
}

/**
 * Evaluates a condition for the contacts of a source, window by window in the order of ids. Each window is one
 * statement of about 25 ms, and the database serves other requests in between.
 */
export async function* scan(
  ctx: Context,
  audience: Audience,
  source: ScanSource,
  { maxWindows = Number.POSITIVE_INFINITY, maxRows = Number.POSITIVE_INFINITY }: ScanBudget,
  { from, rowsOf, want, ...options }: ScanOptions,
): AsyncGenerator<ScannedWindow, void> {
  const rowsAtOnce = maxEvaluatedPerStatement(audience);
  let edge = from ?? ends[options.direction].start;
  let [read, matched, picked] = [0, 0, 0];
  for (let windows = 0; windows < maxWindows && read < maxRows; windows++) {
    const wanted = rowsOf?.({ windows, matched }) ?? rowsAtOnce;
    const window = await scanWindow(ctx, audience, source, {
      ...options,
      from: edge,
      rows: Math.min(rowsAtOnce, wanted, maxRows - read),
      want: typeof want === "object" ? rest(want, { matched, picked }) : want,
    });
    yield window;
    if (window.isLast) return;
    edge = window.edge;
    read += window.rows;
    matched += window.matched;
    picked += window.contacts.length;
    await letOthersIn();
  }
}

function rest({ skip, take }: ScanPage, { matched, picked }: { matched: number; picked: number }): ScanPage {
  return { skip: Math.max(0, skip - matched), take: take - picked };
}

/** Scans one window. The caller must store the cursor of the scan. */
export async function scanWindow(
  ctx: Context,
  audience: Audience,
  source: ScanSource,
  options: Omit<ScanOptions, "from" | "rowsOf"> & { from: Id; rows: number },
): Promise<ScannedWindow> {
  const { direction, rows, want, apart } = options;
  const window = windowFrom(ctx, source, options);
  const found =
    typeof want === "object"
      ? await pick(ctx, audience, window, { ...want, direction })
      : await count(ctx, audience, window, { withIds: want === "ids", apart });
  return { ids: [], others: [], contacts: [], ...found, rows, isLast: found.edge === ends[direction].end };
}

const readCount = columns({
  edge: asId,
  matched: asNumber,
  ids: orNull(asJson<Id[]>()),
  others: orNull(asJson<Id[]>()),
});

async function count(
  ctx: Context,
  { values, matches }: Audience,
  { edge, contacts }: ScanWindow,
  { withIds, apart }: { withIds: boolean; apart: SQL | undefined },
): Promise<Pick<ScannedWindow, "edge" | "matched" | "ids" | "others">> {
  const ids = withIds ? sql`json_group_array(id) FILTER (WHERE matches = 1)` : sql`NULL`;
  const others = apart ? sql`json_group_array(id) FILTER (WHERE matches = 2)` : sql`NULL`;
  const met = apart ? sql`CASE WHEN ${matches} THEN iif(${apart}, 1, 2) ELSE 0 END` : matches;
  const found = await selectOne(
    ctx.db,
    sql`WITH ${values}, ${edge}
      SELECT (SELECT id FROM edge) AS edge, coalesce(sum(matches > 0), 0) AS matched, ${ids} AS ids, ${others} AS others
      FROM (SELECT c.id, ${met} AS matches ${contacts})`,
    readCount,
  );
  return { ...found, ids: found.ids ?? [], others: found.others ?? [] };
}

async function pick(
  ctx: Context,
  audience: Audience,
  window: ScanWindow,
  page: ScanPage & { direction: Direction },
): Promise<Pick<ScannedWindow, "edge" | "matched" | "contacts">> {
  const { sql: query, read } = selectPage(audience, window, page);
  return pageOf(await select(ctx.db, query, read), page.direction);
}
