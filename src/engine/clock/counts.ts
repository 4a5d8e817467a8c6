import { sql } from "drizzle-orm";
import { countMarked } from "../campaigns/count-due";
import type { Timed } from "./timed";

/** Campaign counters normally follow a few seconds later by the real clock. An advance brings them up to date. */
export const timedCounts: Timed = {
  name: "counts of campaigns",
  isDue: ({ project }) => sql`EXISTS (SELECT 1 FROM campaign_pages INDEXED BY ix_campaign_pages_uncounted
    WHERE project_id = ${project.number} AND recount_at IS NOT NULL)`,
  async settle(ctx) {
    await countMarked(ctx, sql`recount_at IS NOT NULL`);
  },
};
