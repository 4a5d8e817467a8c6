import type { SegmentRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { countSegment } from "./count";

/** A dynamic segment whose condition is new, with its members counted; in a large project a job counts them later. */
export async function withCount(ctx: Context, row: SegmentRow): Promise<SegmentRow> {
  if (row.condition === null) return row;
  const counted = await countSegment(ctx, row);
  return typeof counted === "number" ? { ...row, memberCount: counted } : row;
}
