import { sql } from "drizzle-orm";
import type { JobRow } from "../../db/tables";
import type { Step } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { noteCounted } from "./count";
import { walkStep } from "./walk-step";

/** One step of a count: the next contacts by id. */
export function countStep(ctx: Context, row: JobRow): Promise<Step> {
  return walkStep(ctx, row, {
    write: async ({ walk }) => ({
      batches: [{ result: sql`${JSON.stringify({ memberCount: walk.matching })}`, changes: [] }],
      isWhole: true,
    }),
    end: (walk) => noteCounted(ctx, walk),
  });
}
