import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { JobRow } from "../jobs/job";
import type { Step } from "../jobs/work";
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
