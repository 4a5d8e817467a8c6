import { sql } from "drizzle-orm";
import { ProofNeeded } from "../../core/people/errors";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/** The number of recipients above which a person must prove who they are. */
const manyRecipients = 10_000;

/**
 * Throws ProofNeeded when a person whose last proof is too old starts a campaign that can reach more than 10,000
 * people. The number comes from stored counts: all subscribed contacts, or the members of the segment if they were
 * counted and are fewer. The exact audience is only known once sending has begun.
 */
export async function requireProofForMany(ctx: Context, { segmentId }: Pick<CampaignRow, "segmentId">): Promise<void> {
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
