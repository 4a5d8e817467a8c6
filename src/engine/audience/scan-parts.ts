import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import type { ScanSource } from "./scan-source";
import { ends, windowFrom } from "./scan-window";

/** Rows of a source that one statement skips, in some 25 ms: it reads an index and no contact. */
const maxSkippedPerStatement = 100_000;

const readEdge = columns({ edge: asId });

/**
 * The ids after which parts of equal size begin, for scans downward: the first part has the newest contacts. Rows of
 * the index are counted to find them. Ids contain the time, but parts of equal time would not be of equal size: a
 * project may have imported nearly all its contacts within an hour.
 */
export async function findParts(ctx: Context, source: ScanSource, parts: number): Promise<Id[]> {
  const starts = [ends.down.start];
  const rowsPerPart = Math.max(1, Math.floor(source.rows / parts));
  for (let [from, left] = [ends.down.start, rowsPerPart]; starts.length < parts; ) {
    const rows = Math.min(left, maxSkippedPerStatement);
    const { edge } = windowFrom(ctx, source, { direction: "down", from, rows });
    from = (await selectOne(ctx.db, sql`WITH ${edge} SELECT id AS edge FROM edge`, readEdge)).edge;
    // There are fewer rows than the stored counts say.
    if (from === ends.down.end) break;
    left -= rows;
    if (left === 0) {
      starts.push(from);
      left = rowsPerPart;
    }
    await letOthersIn();
  }
  return starts;
}
