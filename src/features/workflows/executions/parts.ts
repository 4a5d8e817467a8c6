import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { aboveAllIds, belowAllIds, firstIdAt, type Id, textOf, timeOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/*
 * A long list is counted in parts. What is below the first part is cut by the times of its ids into ranges, and many of
 * these are counted at once. Of a range with more than a part, the newest part is counted, and the rest is cut again. A
 * whole part leaves no more ranges than a round counts: however uneven the times are, there are no more rounds than
 * whole parts.
 */

/** A statement goes through its part twice at most: for its count, and for its end. */
export const rowsPerPart = maxRowsPerStatement / 2;

/** A batch of whole parts takes some 20 ms, in which the database does nothing else. */
const partsPerBatch = 7;

/** A round is two batches, on their way at once. */
const partsPerRound = 2 * partsPerBatch;

/** The newest executions of a range, at most `rowsPerPart`. */
export interface Part {
  count: number;
  newest: Id | null;
  /** The last one of a whole part. */
  edge: Id | null;
  /** Of the whole range. */
  oldest: Id | null;
}

interface Range {
  from: Id;
  below: Id;
  /** It is likely to have more than a part. */
  isLong: boolean;
}

/** Counts the newest part of a list. `found` is its FROM and WHERE. */
export function countNewest(found: SQL): Statement<Part> {
  return countPart(found, { from: belowAllIds, below: aboveAllIds, isLong: false });
}

/** A part and all those below it, newest first, then those that are empty. */
export async function partsFrom(ctx: Context, found: SQL, part: Part): Promise<Part[]> {
  const parts = [part];
  for (let ranges = rangesBelow(part); ranges.length > 0; ) {
    const batches = chunksOf(ranges.slice(0, partsPerRound), partsPerBatch);
    const counted = (await Promise.all(batches.map((some) => countParts(ctx, found, some)))).flat();
    parts.push(...counted);
    ranges = [...ranges.slice(partsPerRound), ...counted.flatMap(rangesBelow)];
  }
  const keyOf = ({ newest }: Part) => textOf(newest ?? belowAllIds);
  return parts.toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));
}

/**
 * Cuts what is below a whole part, newest first. It is expected to be as dense as that part, and may be twice as dense
 * before a range has more than a part.
 */
function rangesBelow({ newest, edge, oldest }: Part): Range[] {
  if (newest === null || edge === null || oldest === null || edge === oldest) return [];
  const [first, last, end] = [timeOf(newest), timeOf(edge), timeOf(oldest)];
  const expected = (last - end + 1) / (first - last + 1);
  const count = Math.min(Math.ceil(2 * expected), partsPerRound);
  const ranges: Range[] = [];
  for (let [n, below] = [1, edge]; n <= count; n++) {
    const from = firstIdAt(last - ((last - end) * n) / count);
    ranges.push({ from, below, isLong: expected > count });
    below = from;
  }
  return ranges;
}

async function countParts(ctx: Context, found: SQL, ranges: Range[]): Promise<Part[]> {
  const batch = openBatch(ctx);
  const counted = ranges.map((range) => batch.add(countPart(found, range)));
  await batch.commit();
  return counted.map(({ one }) => one);
}

/** What is likely to suffice is asked first: whether a long range has a whole part, and how many a short one has. */
function countPart(found: SQL, { from, below, isLong }: Range): Statement<Part> {
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
