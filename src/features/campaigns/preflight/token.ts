import { openPreflight, sealPreflight } from "../../../core/campaigns/preflight-token";
import { mayBe } from "../../../core/campaigns/status";
import { BadRequest, Conflict } from "../../../core/errors";
import { iso, minuteMs } from "../../../core/time";
import type { CampaignRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";

/**
 * How long a token is valid: long enough to show the findings to a person, and short enough that the audience changes
 * little.
 */
const lifetimeMs = 15 * minuteMs;

/**
 * Returns a token for a finished check of the campaign's present version. Null when the campaign can no longer be sent,
 * or when the installation has no secret that signs tokens.
 */
export async function preflightTokenOf(ctx: Context, campaign: CampaignRow): Promise<string | null> {
  const { linkSecrets } = ctx.config;
  if (linkSecrets.length === 0 || !mayBe("send", campaign.status)) return null;
  const expiresAt = ctx.now.getTime() + lifetimeMs;
  return sealPreflight(linkSecrets, checkedOf(ctx, campaign), { version: campaign.version, expiresAt });
}

/**
 * Throws BadRequest unless the token was made for this campaign, and Conflict when it has expired or was made for
 * another version. The caller's batch has to guard that the campaign is unchanged.
 */
export async function requirePreflight(ctx: Context, campaign: CampaignRow, token: string): Promise<void> {
  const stamp = await openPreflight(ctx.config.linkSecrets, checkedOf(ctx, campaign), token);
  if (stamp === null) throw foreign();
  if (stamp.expiresAt <= ctx.now.getTime()) throw expired(stamp.expiresAt);
  if (stamp.version !== campaign.version) throw changed();
}

function checkedOf({ project }: Context, { id }: CampaignRow) {
  return { projectId: project.id, campaignId: id };
}

const again = "Start another pre-flight, and send with the preflightToken in its result.";

function foreign(): BadRequest {
  return new BadRequest("This preflightToken is not from a pre-flight of this campaign. Nothing was sent.", {
    suggestion: "Pass result.preflightToken of the finished job of POST /campaigns/{id}/preflight, unshortened.",
    details: { field: "preflightToken", reason: "foreign" },
  });
}

function expired(at: number): Conflict {
  return new Conflict("This preflightToken has expired: it is valid for 15 minutes. Nothing was sent.", {
    suggestion: again,
    details: { field: "preflightToken", reason: "expired", expiredAt: iso(at) },
  });
}

function changed(): Conflict {
  return new Conflict("The campaign was changed or scheduled after this pre-flight. Nothing was sent.", {
    suggestion: again,
    details: { field: "preflightToken", reason: "changed" },
  });
}
