import type { Id } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import type { ScanSource } from "./scan-source";
import { ends, selectEdges } from "./scan-window";

/** Rows of a source that one statement skips, in some 25 ms: it reads an index and no contact. */
const maxSkippedPerStatement = 100_000;

const readEdge = columns({ id: asId });

/**
 * The ids after which parts of equal size begin, for scans downward: the first part has the newest contacts. Rows of
 * the index are counted to find them. Ids contain the time, but parts of equal time would not be of equal size: a
 * project may have imported nearly all its contacts within an hour.
 */
export async function findParts(ctx: Context, source: ScanSource, parts: number): Promise<Id[]> {
  const rowsPerPart = Math.max(1, Math.ceil(source.rows / parts));
  const edgesPerPart = Math.ceil(rowsPerPart / maxSkippedPerStatement);
  const rows = Math.ceil(rowsPerPart / edgesPerPart);
  const found: Id[] = [];
  const wanted = (parts - 1) * edgesPerPart;
  while (found.length < wanted) {
    const edges = Math.min(wanted - found.length, Math.floor(maxSkippedPerStatement / rows));
    const from = found.at(-1) ?? ends.down.start;
    const next = await select(ctx.db, selectEdges(ctx, source, { direction: "down", from, rows, edges }), readEdge);
    found.push(...next.map(({ id }) => id));
    // There are fewer rows than the stored counts say.
    if (next.length < edges) break;
    await letOthersIn();
  }
  return [ends.down.start, ...found.filter((_, place) => (place + 1) % edgesPerPart === 0)];
}
