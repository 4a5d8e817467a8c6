import { sql } from "drizzle-orm";
import { countMarked } from "../campaigns/count-due";
import type { Timed } from "./timed";

/** What became of campaigns' mail is counted some seconds later, by the real clock. After an advance it is counted. */
export const timedCounts: Timed = {
  name: "counts of campaigns",
  isDue: ({ project }) => sql`EXISTS (SELECT 1 FROM campaign_pages INDEXED BY ix_campaign_pages_uncounted
    WHERE project_id = ${project.number} AND recount_at IS NOT NULL)`,
  async settle(ctx) {
    await countMarked(ctx, sql`recount_at IS NOT NULL`);
  },
};
