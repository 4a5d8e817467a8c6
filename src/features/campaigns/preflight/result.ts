import { type Finding, skipReasons, type Tally, type WarningCode, warningCodes } from "../../../core/campaigns/tally";
import { ratePerSecond } from "../../../core/mail/pace";
import { ofCampaigns } from "../../../core/mail/priority";
import { minuteMs, secondMs } from "../../../core/time";
import type { CampaignRow } from "../../../db/tables";
import { imprintWarnings, missingImprint } from "../../../engine/mail/imprint";
import { paceOf } from "../../../engine/mail/project-pace";
import { isMarketingPaused } from "../../../engine/projects/sending-paused";
import type { Context } from "../../../platform/context";
import { maxReleasedOf } from "../release";
import type { PreflightResult } from "./schema";

/** What a pre-flight has found, as callers see it. */
export async function resultOf(ctx: Context, campaign: CampaignRow, tally: Tally): Promise<PreflightResult> {
  const { recipients, composed, clipped, skipped, missing, renderErrors } = tally;
  const warnings = { ...tally.warnings };
  if (composed > 0 && ctx.project.disabled) warnings.disabled = composed;
  const lacking = missingImprint(ctx, campaign.type);
  if (composed > 0 && lacking !== null) warnings[lacking] = composed;
  if (composed > 0 && campaign.type === "MARKETING" && (await isMarketingPaused(ctx, ctx.project)))
    warnings.sending_paused = composed;
  return {
    recipients,
    willSend: composed,
    skipped: skipReasons.flatMap((reason) => {
      const count = skipped[reason] ?? 0;
      return count === 0 ? [] : [{ reason, count }];
    }),
    missing: sorted(missing).map(({ name, count, contactIds }) => ({ variable: name, count, examples: contactIds })),
    renderErrors: sorted(renderErrors).map(({ name, count, contactIds }) => ({
      message: name,
      count,
      examples: contactIds,
    })),
    clipped,
    warnings: warningCodes.flatMap((code) => {
      const count = warnings[code] ?? 0;
      return count === 0 ? [] : [{ code, message: messages[code], count, examples: tally.examples?.[code] ?? [] }];
    }),
    estimatedSeconds: await secondsFor(ctx, campaign, composed),
    rowsWritten: rowsFor(ctx, campaign, tally),
  };
}

/** What was found most often comes first. */
function sorted(findings: Finding[]): Finding[] {
  return findings.toSorted((one, other) => other.count - one.count);
}

const messages: Record<WarningCode, string> = {
  empty_link: "A link leads nowhere: its href is empty or only #.",
  link_not_absolute:
    "A link is no complete URL, so it does not work in a mail: it must begin with https:// or another scheme.",
  image_without_alt:
    'An image has no alt text, which is shown while images are not. alt="" says that it is decoration.',
  missing_unsubscribe_link:
    "The mail has no link to unsubscribe. Put {{ unsubscribeUrl }} or {{ manageUrl }} into an <a href>.",
  missing_postal_address: imprintWarnings.missing_postal_address.message,
  missing_company: imprintWarnings.missing_company.message,
  public_source: "The contact came with a public key, which anybody can use, and never confirmed the address.",
  sending_paused: "The marketing email of the project is paused: nothing goes out until the operator lifts that.",
  disabled: "The project is disabled: nothing goes out until the operator enables it.",
};

/** Until it is measured: the least of what `npm run bench -- campaigns` asks of the product. */
const usualPerSecond = 400;

/** How long the campaign takes when nothing else is sent, with the hold of a canary: at the least of all paces. */
async function secondsFor(ctx: Context, { canary }: CampaignRow, mails: number): Promise<number> {
  const { pace } = ctx.config.mail;
  const ofProvider = pace === null ? null : ratePerSecond("campaign", pace) * ctx.mailer.mailsPerCall;
  const ofAccount = (await ctx.pace.campaignsPerSecond()) ?? usualPerSecond;
  const perSecond = Math.min(ofAccount, ofProvider ?? ofAccount, paceOf(ctx, ofCampaigns) ?? ofAccount);
  const holdSeconds = canary === null || mails === 0 ? 0 : (canary.holdMinutes * minuteMs) / secondMs;
  return Math.ceil(mails / perSecond) + holdSeconds;
}

/**
 * Rows that the database writes for a recipient, rows of indexes included: up to SENT with its event, for one who only gets
 * a row in the ledger that says why not, and for a mail that is held first. test/flows/preflight.test.ts measures them: it
 * compares the figure with a campaign that is really sent.
 */
const rowsPer = { sent: 8, unsent: 3, held: 1 };

/** Who does not want the mail gets no row. The first mails of a campaign without a canary go out as they are written. */
function rowsFor(ctx: Context, { canary }: CampaignRow, { composed, skipped, renderErrors }: Tally): number {
  const inLedger = skipReasons.filter((reason) => reason.startsWith("suppressed_") || reason === "monthly_limit");
  const withheld = inLedger.reduce((sum, reason) => sum + (skipped[reason] ?? 0), 0);
  const failed = renderErrors.reduce((sum, { count }) => sum + count, 0);
  const held = Math.max(0, composed - (canary === null ? maxReleasedOf(ctx) : 0));
  return rowsPer.sent * composed + rowsPer.unsent * (withheld + failed) + rowsPer.held * held;
}
