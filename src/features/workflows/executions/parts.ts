import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../../core/chunks";
import { aboveAllIds, belowAllIds, firstIdAt, type Id, timeOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/*
 * A long list is counted in parts. What is below the first part is cut by the times of its ids into ranges, and these
 * are counted at once. Of a range with more than a part, the newest part is counted, and the rest is cut again. So each
 * round counts what is below a whole part: however uneven the times are, there are no more rounds than whole parts.
 */

/** A statement goes once through the part that it counts, and once more through a whole one, to find its end. */
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
}

/** Counts the newest part of a list. `found` is its FROM and WHERE. */
export function countNewest(found: SQL): Statement<Part> {
  return countPart(found, { from: belowAllIds, below: aboveAllIds });
}

/** A part and all those below it, newest first. */
export async function partsFrom(ctx: Context, found: SQL, part: Part): Promise<Part[]> {
  const batches = chunksOf(rangesBelow(part), partsPerBatch).map((ranges) => countParts(ctx, found, ranges));
  const parts = [part];
  for (const next of (await Promise.all(batches)).flat()) parts.push(...(await partsFrom(ctx, found, next)));
  return parts;
}

/**
 * Cuts what is below a whole part, newest first. Where executions began up to twice as fast as those of the part, no
 * range has more than a part.
 */
function rangesBelow({ newest, edge, oldest }: Part): Range[] {
  if (newest === null || edge === null || oldest === null || edge === oldest) return [];
  const [first, last, end] = [timeOf(newest), timeOf(edge), timeOf(oldest)];
  const wanted = Math.ceil((2 * (last - end + 1)) / (first - last + 1));
  const count = Math.min(wanted, partsPerRound);
  const ranges: Range[] = [];
  for (let [n, below] = [1, edge]; n <= count; n++) {
    const from = firstIdAt(last - ((last - end) * n) / count);
    ranges.push({ from, below });
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

function countPart(found: SQL, { from, below }: Range): Statement<Part> {
  const range = sql`${found} AND id >= ${from} AND id < ${below}`;
  return statement(
    sql`WITH part AS MATERIALIZED (SELECT count(*) AS count FROM (SELECT 1 ${range} LIMIT ${rowsPerPart}))
      SELECT count, (SELECT max(id) ${range}) AS newest, (SELECT min(id) ${range}) AS oldest,
        CASE WHEN count = ${rowsPerPart} THEN (SELECT id ${range} ORDER BY id DESC LIMIT 1 OFFSET ${rowsPerPart - 1}) END
          AS edge FROM part`,
    readPart,
  );
}

const readPart = columns({ count: asNumber, newest: orNull(asId), edge: orNull(asId), oldest: orNull(asId) });
