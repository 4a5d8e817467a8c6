import { type Finding, skipReasons, type Tally, type WarningCode, warningCodes } from "../../../core/campaigns/tally";
import { ratePerSecond } from "../../../core/mail/pace";
import { ofCampaigns } from "../../../core/mail/priority";
import { paceOf } from "../../../core/mail/project-pace";
import { minuteMs, secondMs } from "../../../core/time";
import type { CampaignRow } from "../../../db/tables";
import { imprintWarnings, missingImprint } from "../../../engine/mail/accept/imprint";
import { carriesMarketing } from "../../../engine/mail/accept/require-carrier";
import { isMarketingPaused } from "../../../engine/projects/sending-paused";
import type { Context } from "../../../platform/context";
import { accountOf } from "../../../platform/mailer/accounts";
import { maxReleasedOf } from "../release";
import type { PreflightFindings } from "./schema";

/** Returns the findings of a pre-flight as callers see them. */
export async function resultOf(ctx: Context, campaign: CampaignRow, tally: Tally): Promise<PreflightFindings> {
  const { recipients, composed, clipped, skipped, missing, renderErrors } = tally;
  const warnings = { ...tally.warnings };
  if (composed > 0 && ctx.project.disabled) warnings.disabled = composed;
  const lacking = missingImprint(ctx, campaign.type);
  if (composed > 0 && lacking !== null) warnings[lacking] = composed;
  if (composed > 0 && campaign.type === "MARKETING" && (await isMarketingPaused(ctx, ctx.project)))
    warnings.sending_paused = composed;
  if (composed > 0 && campaign.type === "MARKETING" && !carriesMarketing(ctx))
    warnings.no_marketing_provider = composed;
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
      return count === 0 ? [] : [{ code, message: messages[code], count, examples: tally.examples[code] ?? [] }];
    }),
    estimatedSeconds: await secondsFor(ctx, campaign, composed),
    rowsWritten: rowsFor(ctx, campaign, tally),
  };
}

/** Sorts findings by how often they occurred, most frequent first. */
function sorted(findings: Finding[]): Finding[] {
  return findings.toSorted((one, other) => other.count - one.count);
}

const messages: Record<WarningCode, string> = {
  empty_link: "A link leads nowhere: its href is empty or only #.",
  link_not_absolute:
    "A link is not a complete URL, so it does not work in an email: it must begin with https:// or another scheme.",
  image_without_alt: 'An image has no alt text, which is shown when images are not. Use alt="" for a decorative image.',
  missing_unsubscribe_link:
    "The email has no link to unsubscribe. Put {{ unsubscribeUrl }} or {{ manageUrl }} into an <a href>.",
  missing_postal_address: imprintWarnings.missing_postal_address.message,
  missing_company: imprintWarnings.missing_company.message,
  public_source: "The contact was created with a public key, which anyone can use, and never confirmed the address.",
  sending_paused: "The project's marketing email is paused: nothing is sent until the operator ends the pause.",
  no_marketing_provider:
    "The mail provider does not accept marketing email: sending is refused until the operator sets MAIL_PROVIDER_MARKETING.",
  disabled: "The project is disabled: nothing is sent until the operator enables it.",
};

/**
 * The speed that is assumed until the real one is measured: the minimum that `npm run bench -- campaigns` requires of
 * the product.
 */
const usualPerSecond = 400;

/**
 * Returns how long the campaign takes when nothing else is sent, including the hold of a canary. The lowest of the
 * rates decides: the account's, its provider's or the project's.
 */
async function secondsFor(ctx: Context, { canary }: CampaignRow, mails: number): Promise<number> {
  const { rate, mailer, pace } = accountOf(ctx.accounts, "campaign");
  const ofProvider = rate === null ? null : ratePerSecond("campaign", rate) * mailer.mailsPerCall;
  const ofAccount = (await pace.campaignsPerSecond()) ?? usualPerSecond;
  const perSecond = Math.min(ofAccount, ofProvider ?? ofAccount, paceOf(ctx, ofCampaigns) ?? ofAccount);
  const holdSeconds = canary === null || mails === 0 ? 0 : (canary.holdMinutes * minuteMs) / secondMs;
  return Math.ceil(mails / perSecond) + holdSeconds;
}

/**
 * How many rows the database writes per recipient, including index entries: `sent` for an email that becomes SENT, with
 * its event; `unsent` for a withheld email, whose row has the reason; `held` in addition, for an email that is held
 * first. test/flows/preflight.test.ts compares these figures with a campaign that is really sent.
 */
const rowsPer = { sent: 7, unsent: 3, held: 1 };

/**
 * Returns the number of rows that sending writes. A contact that does not want the mail gets no row. Without a canary,
 * the first emails of a campaign are not held.
 */
function rowsFor(ctx: Context, { canary }: CampaignRow, { composed, skipped, renderErrors }: Tally): number {
  const inLedger = skipReasons.filter((reason) => reason.startsWith("suppressed_") || reason === "monthly_limit");
  const withheld = inLedger.reduce((sum, reason) => sum + (skipped[reason] ?? 0), 0);
  const failed = renderErrors.reduce((sum, { count }) => sum + count, 0);
  const held = Math.max(0, composed - (canary === null ? maxReleasedOf(ctx) : 0));
  return rowsPer.sent * composed + rowsPer.unsent * (withheld + failed) + rowsPer.held * held;
}
