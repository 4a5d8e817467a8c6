import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { belowAllIds, firstIdAt, type Id, textOf, timeOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/**
 * A long list is counted in parts. The newest part is counted alone. The rows below it are divided into ranges by the
 * times of their ids, and up to `partsAtOnce` ranges are counted at once. If a range turns out to be larger than a
 * part, only its newest part is counted, and the rest is divided again. Each further division follows from a full part,
 * so there are never more divisions than full parts, however unevenly the ids are spread over time.
 */

/**
 * The maximum number of rows of a part. A statement reads them at most twice: to count them, and to find the part's
 * edge.
 */
export const rowsPerPart = maxRowsPerStatement / 2;

/**
 * How many parts one batch counts. A batch of full parts takes about 20 ms, during which the database does nothing
 * else.
 */
const partsPerBatch = 7;

/** How many parts are counted at once, in two parallel batches. */
const partsAtOnce = 2 * partsPerBatch;

/** The newest executions of a range, at most `rowsPerPart`. */
export interface ExecutionPart {
  count: number;
  newest: Id | null;
  /** The oldest id of the part, if the part is full. */
  edge: Id | null;
  /** The oldest id of the whole range. */
  oldest: Id | null;
}

interface Range {
  from: Id;
  below: Id;
  /** Whether the range probably has more than one part. */
  isLong: boolean;
}

/** Counts the newest part below an id. `found` is the list's FROM and WHERE clauses. */
export function countNewest(found: SQL, below: SQL): Statement<ExecutionPart> {
  return countPart(found, { from: belowAllIds, below, isLong: false });
}

/** Counts everything below a part. Returns that part and the parts below it, newest first, then empty ones. */
export async function partsFrom(ctx: Context, found: SQL, part: ExecutionPart): Promise<ExecutionPart[]> {
  const parts = [part];
  for (let ranges = rangesBelow(part); ranges.length > 0; ) {
    const batches = chunksOf(ranges.slice(0, partsAtOnce), partsPerBatch);
    const counted = (await Promise.all(batches.map((some) => countParts(ctx, found, some)))).flat();
    parts.push(...counted);
    ranges = [...ranges.slice(partsAtOnce), ...counted.flatMap(rangesBelow)];
  }
  const keyOf = ({ newest }: ExecutionPart) => textOf(newest ?? belowAllIds);
  return parts.toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));
}

/**
 * Cuts the ids below a full part into ranges, newest first. The ranges are sized as if ids were twice as dense as in
 * that part, so only ranges that are even denser have more than one part.
 */
function rangesBelow({ newest, edge, oldest }: ExecutionPart): Range[] {
  if (newest === null || edge === null || oldest === null || edge === oldest) return [];
  const [first, last, end] = [timeOf(newest), timeOf(edge), timeOf(oldest)];
  const expected = (last - end + 1) / (first - last + 1);
  const count = Math.min(Math.ceil(2 * expected), partsAtOnce);
  const ranges: Range[] = [];
  for (let [n, below] = [1, edge]; n <= count; n++) {
    const from = firstIdAt(last - ((last - end) * n) / count);
    ranges.push({ from, below, isLong: expected > count });
    below = from;
  }
  return ranges;
}

async function countParts(ctx: Context, found: SQL, ranges: Range[]): Promise<ExecutionPart[]> {
  const batch = openBatch(ctx);
  const counted = ranges.map((range) => batch.add(countPart(found, range)));
  await batch.commit();
  return counted.map(({ one }) => one);
}

/**
 * Counts a part. The test that probably suffices comes first: for a long range, whether it has a full part; for a short
 * range, how many rows it has.
 */
function countPart(
  found: SQL,
  { from, below, isLong }: Omit<Range, "below"> & { below: Id | SQL },
): Statement<ExecutionPart> {
  const range = sql`${found} AND id >= ${from} AND id < ${below}`;
  const count = sql`(SELECT count(*) FROM (SELECT 1 ${range} LIMIT ${rowsPerPart}))`;
  const edge = sql`(SELECT id ${range} ORDER BY id DESC LIMIT 1 OFFSET ${rowsPerPart - 1})`;
  const [first, both] = isLong
    ? [sql`${edge} AS edge`, sql`edge, CASE WHEN edge IS NULL THEN ${count} ELSE ${rowsPerPart} END AS count`]
    : [sql`${count} AS count`, sql`count, CASE WHEN count = ${rowsPerPart} THEN ${edge} END AS edge`];
  return statement(
    sql`WITH part AS MATERIALIZED (SELECT ${first})
      SELECT ${both}, (SELECT max(id) ${range}) AS newest, (SELECT min(id) ${range}) AS oldest FROM part`,
    readPart,
  );
}

const readPart = columns({ count: asNumber, newest: orNull(asId), edge: orNull(asId), oldest: orNull(asId) });
