import type { Id } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import type { ScanSource } from "./scan-source";
import { ends, selectEdges } from "./scan-window";

/**
 * The maximum number of rows of a source that one statement skips. Skipping them takes about 25 ms, because the
 * statement reads only an index.
 */
const maxSkippedPerStatement = 100_000;

const readEdge = columns({ id: asId });

/**
 * Divides a source into parts of equal size, for scans from the newest contact to the oldest, and returns the ids after
 * which the parts begin. The ids are found by counting rows of the index. Ids contain the time, but parts of equal time
 * would differ in size: a project may have imported nearly all its contacts within an hour.
 */
export async function findParts(ctx: Context, source: ScanSource, parts: number): Promise<Id[]> {
  const rowsPerPart = Math.max(1, Math.ceil(source.rows / parts));
  const edgesPerPart = Math.ceil(rowsPerPart / maxSkippedPerStatement);
  const rows = Math.ceil(rowsPerPart / edgesPerPart);
  const edgesFound: Id[] = [];
  const wanted = (parts - 1) * edgesPerPart;
  while (edgesFound.length < wanted) {
    const edges = Math.min(wanted - edgesFound.length, Math.floor(maxSkippedPerStatement / rows));
    const from = edgesFound.at(-1) ?? ends.down.start;
    const next = await select(ctx.db, selectEdges(ctx, source, { direction: "down", from, rows, edges }), readEdge);
    edgesFound.push(...next.map(({ id }) => id));
    // The source has fewer rows than the stored counts report.
    if (next.length < edges) break;
    await letOthersIn();
  }
  return [ends.down.start, ...edgesFound.filter((_, index) => (index + 1) % edgesPerPart === 0)];
}
