import { minuteMs } from "../../../core/time";
import type { Context } from "../../../platform/context";
import type { ShardRow } from "../../../platform/workflow-shards";
import { unknownChange } from "../../workflows/shard/import";
import { BadBackup } from "./bad-backup";
import { rowOf } from "./read-part";

/** An upper bound on the difference between the clocks of objects and Workers. */
const skewMs = minuteMs;

/**
 * Reads a row of a shard. An execution that has changed since the moment of the backup is mirrored again, because the
 * rows of the backup show it as it was at that moment. An execution that waits for a call needs a step, because the
 * restored project does not make that call. Throws BadBackup.
 */
export function shardRowOf(line: unknown, { takenAt, ctx }: { takenAt: number; ctx: Context }): ShardRow {
  if (typeof line !== "object" || line === null || !("table" in line) || !("row" in line)) {
    throw new BadBackup("A line of the executions is not a row.");
  }
  const table = String(line.table);
  const columns = new Set(typeof line.row === "object" && line.row !== null ? Object.keys(line.row) : []);
  const row = rowOf(line.row, table, columns);
  if (table !== "executions") return { table, row };
  const isNewer = ctx.project.testClock || Number(row.updated_at) >= takenAt - skewMs;
  return {
    table,
    row: {
      ...row,
      ...(isNewer ? { change: unknownChange } : {}),
      ...(row.pause === "call" && row.completed_at === null ? { needs: "step" } : {}),
    },
  };
}
