import { sql } from "drizzle-orm";
import { ProofNeeded } from "../../core/people/errors";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/** A person proves who they are before a campaign goes to more than this. */
const manyRecipients = 10_000;

/**
 * Throws ProofNeeded when a person who proved long ago who they are starts a campaign that can reach more than 10,000
 * people. It goes by stored counts: the segment's, where the campaign has one that was counted, else all who are
 * subscribed. The exact audience is only known when sending has begun.
 */
export async function requireProofForMany(ctx: Context, { segmentId }: CampaignRow): Promise<void> {
  if (ctx.hasProof) return;
  const own = inProject(ctx);
  const row = await selectFirst(
    ctx.db,
    sql`SELECT min(coalesce((SELECT subscribed FROM project_counts WHERE ${own}), 0),
      coalesce((SELECT member_count FROM segments WHERE ${own} AND id = ${segmentId} AND counted_at IS NOT NULL),
        ${Number.MAX_SAFE_INTEGER})) AS most`,
    columns({ most: asNumber }),
  );
  if (row !== null && row.most > manyRecipients) throw new ProofNeeded();
}
