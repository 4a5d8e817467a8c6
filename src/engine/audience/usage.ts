import { sql } from "drizzle-orm";
import type { Referrer } from "../../core/audience/references";
import { commit, statement } from "../../db/commit";
import type { audienceReferences } from "../../db/tables";
import type { Context } from "../../platform/context";

type Kind = (typeof audienceReferences.$inferSelect)["kind"];

interface Named {
  id: string;
  name: string;
}

/** Who names it, by what they are. */
export interface Usage {
  usedInSegments: Named[];
  usedInCampaigns: Named[];
  usedInWorkflows: Named[];
}

/** Of each list. Nobody reads more. */
const mostListed = 1_000;

/** Who names this field (as filters write it: `data.plan`), event or segment, the oldest first. */
export async function referencesTo(ctx: Context, kind: Kind, name: string): Promise<Usage> {
  const namedBy = (referrer: Referrer) =>
    statement(
      ctx.db,
      sql`SELECT referrer_id, referrer_name FROM audience_references
        WHERE project_id = ${ctx.project.id} AND kind = ${kind} AND name = ${name} AND referrer = ${referrer}
        ORDER BY referrer_id LIMIT ${mostListed}`,
    );
  const [segments = [], campaigns = [], workflows = []] = await commit(ctx.db, [
    namedBy("segment"),
    namedBy("campaign"),
    namedBy("workflow"),
  ]);
  return {
    usedInSegments: segments.map(referrerJson),
    usedInCampaigns: campaigns.map(referrerJson),
    usedInWorkflows: workflows.map(referrerJson),
  };
}

function referrerJson(row: Record<string, unknown>): Named {
  return { id: String(row.referrer_id), name: String(row.referrer_name) };
}
