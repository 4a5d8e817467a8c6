import { sql } from "drizzle-orm";
import { type Id, newIdAt } from "../../../core/ids";
import { domainOf } from "../../../core/mail/address";
import type { ContactSnapshot } from "../../../core/mail/message";
import type { RecipientLinks } from "../../../core/mail/unsubscribing";
import type { Template } from "../../../core/templating/render";
import { asFlag, columns } from "../../../db/rows";
import { verifiedDomain } from "../../../db/sender-domain";
import { selectOne } from "../../../db/statement";
import type { CampaignRow, ContentRow, EmailRow } from "../../../db/tables";
import { loadBody } from "../../../engine/mail/body";
import type { Delivery } from "../../../engine/mail/deliver/delivery";
import { recipientLinks } from "../../../engine/mail/links";
import type { Frozen } from "../../../engine/recipients/frozen";
import type { Context } from "../../../platform/context";
import { contentOf } from "../content";

/** A variant to check: its content as it would be stored, and links like those of its recipients. */
export interface Checked {
  content: ContentRow;
  weight: number;
  links: RecipientLinks | null;
  /** The parsed templates of the content, set on first use. */
  templates?: Template[];
}

/** Everything that is needed to compose the mail of a campaign's recipients. None of these rows is stored. */
export interface Check {
  campaign: CampaignRow;
  variants: Checked[];
  delivery: Delivery;
}

/**
 * Loads the bodies once for all recipients of a step. If a body is missing, each email fails, as it would when the
 * campaign is sent.
 */
export async function openCheck(
  ctx: Context,
  campaign: CampaignRow,
  { linkBase, frozen }: { linkBase: string | null; frozen: Frozen },
): Promise<Check> {
  const variants: Checked[] = [];
  const maySend = new Set<Id>();
  for (const [index, { contentId, weight }] of frozen.contents.entries()) {
    const named = contentOf(ctx, campaign, campaign.variants?.[index] ?? null, {
      id: contentId,
      at: frozen.at,
      linkBase,
    });
    const content = { ...named, body: await loadBody(ctx, named), bodyKey: null };
    const links = recipientLinks(ctx, content, { contactId: contentId, id: contentId });
    variants.push({ content, weight, links });
    if (await isVerified(ctx, content.fromEmail)) maySend.add(contentId);
  }
  const delivery: Delivery = {
    emails: [],
    repeats: [],
    contents: new Map(variants.map(({ content }) => [content.id, content])),
    maySend,
    large: new Set(),
    loaded: null,
    slot: undefined,
    isAgain: false,
  };
  return { campaign, variants, delivery };
}

async function isVerified(ctx: Context, sender: string): Promise<boolean> {
  const domain = verifiedDomain(ctx, domainOf(sender));
  return (await selectOne(ctx.db, sql`SELECT EXISTS (${domain}) AS verified`, columns({ verified: asFlag }))).verified;
}

/** Returns the row that a recipient's email would have. */
export function emailTo(
  ctx: Context,
  { id: contentId, campaignId }: ContentRow,
  contactId: Id,
  contact: ContactSnapshot,
): EmailRow {
  const now = ctx.clock().getTime();
  return {
    projectId: ctx.project.number,
    id: newIdAt(now),
    contentId,
    contactId,
    campaignId,
    toEmail: contact.email,
    contact,
    source: "CAMPAIGN",
    priority: 2,
    status: "QUEUED",
    createdAt: now,
    nextAttemptAt: now,
    dueAt: now,
    ...unsentEmail,
  };
}

/** The columns of an email before its first attempt. */
const unsentEmail = {
  ownData: null,
  effectId: null,
  toWritten: null,
  toName: null,
  error: null,
  subject: null,
  attempts: 0,
  round: null,
  handedAt: null,
  uncertainSince: null,
  lookUpAt: null,
  lookUps: 0,
  settledBy: null,
  clock: 0,
  scheduledAt: null,
  retriedAt: null,
  abandonments: 0,
  provider: null,
  providerMessageId: null,
  reported: null,
  opens: 0,
  clicks: 0,
  hits: null,
  clickedLinks: null,
  causes: null,
  isPublic: false,
  isForgotten: false,
  endedAt: null,
  sentAt: null,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  bouncedAt: null,
  complainedAt: null,
  unsubscribedAt: null,
} satisfies Partial<EmailRow>;
