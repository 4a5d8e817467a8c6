import { sql } from "drizzle-orm";
import { bucketOf, canaryShare, draw, drawBuckets, variantFor } from "../../core/campaigns/draw";
import { chunksOf } from "../../core/chunks";
import { belowAllIds, type Id, newIdAt } from "../../core/ids";
import { monthOf } from "../../core/time";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { insertPage, isNewPage } from "../../engine/campaigns/insert-page";
import { insertLeftOut } from "../../engine/campaigns/left-out";
import { insertEmails } from "../../engine/mail/accept/insert-emails";
import { wantsMail } from "../../engine/mail/accept/wanted";
import { whyWithheld } from "../../engine/mail/withhold";
import { upsertUsage } from "../../engine/projects/monthly-usage";
import { type AudienceWindow, byId, type Frozen, nextRecipients, type Progress } from "../../engine/recipients/frozen";
import { guardStep, type Run, updateRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { announceMail, maxReleasedOf, recipientsPerPage } from "./release";

/** A recipient for whom an email will be written. */
interface Recipient {
  contactId: Id;
  /** The index of the recipient's content in `Frozen.contents`. */
  content: number;
}

/**
 * The maximum number of contacts whose draws (see core/campaigns/draw.ts) are computed before other requests get a
 * turn. That takes a few milliseconds.
 */
const drawsPerTurn = 2_000;

/**
 * Counts the recipients of a campaign with a canary, window by window. Then decides which of them are in the canary:
 * the total must be known for that, because the size of a canary is a percentage. See core/campaigns/draw.ts.
 */
export async function measureStep(ctx: Context, run: Run, frozen: Frozen): Promise<void> {
  const { ids, after } = await nextRecipients(ctx, frozen, run.campaign, run.progress.after);
  const weights = frozen.contents.map(({ weight }) => weight);
  const drawn = run.progress.drawn ?? weights.map(() => Array<number>(drawBuckets).fill(0));
  for (const some of chunksOf(ids, drawsPerTurn)) {
    for (const contactId of some) {
      const counts = drawn[variantFor(weights, run.campaign.id, contactId)];
      const bucket = bucketOf(draw(run.campaign.id, contactId, "canary"));
      if (counts) counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    await letOthersIn();
  }
  const percent = run.campaign.canary?.percent ?? 0;
  const next: Progress =
    after === null
      ? {
          phase: "enumerate",
          after: belowAllIds,
          canary: drawn.map((counts) => ({ ...canaryShare(counts, percent), taken: 0 })),
        }
      : { phase: "measure", after, drawn };
  const batch = openBatch(ctx);
  batch.addAll([guardStep(ctx, run), updateRun(ctx, run, next)]);
  await batch.commit();
}

/**
 * Writes an email for each of the next recipients: one per campaign and contact. The pages of a window are written one
 * after another, each in a batch that also stores the progress. So a crash loses nothing, and when two runs overlap,
 * each page is written by one of them. Returns the number of batches, which may be fifty.
 */
export async function enumerateStep(ctx: Context, run: Run, frozen: Frozen): Promise<number> {
  const window = await nextRecipients(ctx, frozen, run.campaign, run.progress.after);
  const weights = frozen.contents.map(({ weight }) => weight);
  const pages = splitWindow(window);
  let current = run;
  for (const [index, { ids, leftOut, end }] of pages.entries()) {
    const isLast = index === pages.length - 1;
    const recipients = ids.map((contactId) => ({
      contactId,
      content: variantFor(weights, run.campaign.id, contactId),
    }));
    current = await writePage(ctx, current, frozen, { recipients, leftOut, after: isLast ? window.after : end });
    await letOthersIn();
  }
  if (pages.length === 0) await writePage(ctx, current, frozen, { recipients: [], leftOut: [], after: window.after });
  if (current.progress.open !== run.progress.open) await announceMail(ctx);
  return pages.length;
}

/**
 * The contacts that one batch writes. There may be more left-out contacts than recipients, because a left-out contact
 * costs less.
 */
interface LedgerBatch {
  ids: Id[];
  leftOut: Id[];
  end: Id;
}

/** The maximum number of left-out contacts of a page. Finding out why a contact is left out reads five rows. */
const leftOutPerPage = 4_000;

/** Cuts a window into pages, in the order of ids. A page has all contacts of the window up to its `end`. */
function splitWindow({ ids, others }: AudienceWindow): LedgerBatch[] {
  const isOther = new Set(others);
  const pages: LedgerBatch[] = [];
  let page: LedgerBatch | null = null;
  for (const id of [...ids, ...others].toSorted(byId)) {
    if (page === null || page.ids.length === recipientsPerPage || page.leftOut.length === leftOutPerPage) {
      page = { ids: [], leftOut: [], end: id };
      pages.push(page);
    }
    (isOther.has(id) ? page.leftOut : page.ids).push(id);
    page.end = id;
  }
  return pages;
}

/** Writes a page. A recipient who has stopped wanting the mail since the window was read is counted as left out. */
async function writePage(
  ctx: Context,
  run: Run,
  frozen: Frozen,
  { recipients, leftOut, after }: { recipients: Recipient[]; leftOut: Id[]; after: Id | null },
): Promise<Run> {
  const { parts, progress } = assignParts(ctx, run, recipients, after);
  const now = ctx.clock().getTime();
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  for (const { part, recipients, isReleased } of parts) {
    batch.addAll(insertRecipients(ctx, run, frozen, { part, recipients, releasedAt: isReleased ? now : null }));
  }
  const considered = [...leftOut, ...recipients.map(({ contactId }) => contactId)];
  batch.addAll(insertLeftOut(ctx, run.campaign.id, considered));
  batch.add(updateRun(ctx, run, progress));
  await batch.commit();
  return { ...run, step: run.step + 1, progress };
}

interface LedgerPart {
  part: "CANARY" | "REST";
  recipients: Recipient[];
  isReleased: boolean;
}

/**
 * Splits recipients into the canary and the rest. Without a canary, the first pages of a campaign are released at once.
 */
function assignParts(
  ctx: Context,
  { campaign, progress }: Run,
  recipients: Recipient[],
  after: Id | null,
): { parts: LedgerPart[]; progress: Progress } {
  const next: Progress =
    after === null ? { ...progress, phase: "deliver", after: belowAllIds } : { ...progress, after };
  if (!progress.canary) {
    const open = (progress.open ?? 0) + recipients.length;
    const isReleased = open <= maxReleasedOf(ctx);
    return {
      parts: [{ part: "REST", recipients, isReleased }],
      progress: isReleased ? { ...next, open } : next,
    };
  }
  const canary = progress.canary.map((share) => ({ ...share }));
  const goesFirst = ({ contactId, content }: Recipient): boolean => {
    const share = canary[content];
    const bucket = bucketOf(draw(campaign.id, contactId, "canary"));
    if (!share || bucket > share.before) return false;
    if (bucket < share.before) return true;
    share.taken += 1;
    return share.taken <= share.more;
  };
  const { first = [], rest = [] } = Object.groupBy(recipients, (one) => (goesFirst(one) ? "first" : "rest"));
  return {
    parts: [
      { part: "CANARY", recipients: first, isReleased: false },
      { part: "REST", recipients: rest, isReleased: false },
    ],
    progress: { ...next, canary },
  };
}

interface NewLedgerPage {
  part: LedgerPart["part"];
  recipients: Recipient[];
  releasedAt: number | null;
}

/**
 * Returns the statements that write a page: its emails, the page itself, its counts, the contents that it uses, and its
 * use of the month's quota.
 */
function insertRecipients(
  ctx: Context,
  { campaign }: Run,
  { contents }: Frozen,
  { part, recipients, releasedAt }: NewLedgerPage,
): Statement[] {
  const now = ctx.clock().getTime();
  const rows = recipients.map(({ contactId, content }) => [newIdAt(now), contactId, contents[content]?.contentId]);
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  if (!first || !last) return [];
  const page = { campaignId: campaign.id, firstId: first, lastId: last };
  const mail = { type: campaign.type, topicId: campaign.topicId };
  return [
    insertEmails(ctx, {
      source: "CAMPAIGN",
      at: ctx.clock(),
      dueAt: releasedAt,
      more: { campaignId: campaign.id },
      from: sql`SELECT r.value->>0 AS id, r.value->>2 AS content_id, c.id AS contact_id, c.email AS to_email, NULL AS type,
          ${whyWithheld(ctx, mail)} AS reason
        FROM json_each(${JSON.stringify(rows)}) r
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>1 AND ${wantsMail(mail)}`,
    }),
    ...insertPage(ctx, { ...page, part, releasedAt }),
    statement(
      sql`UPDATE email_contents SET recipients = recipients + added.emails
        FROM (SELECT item.key AS content_id,
            item.value->>'queued' + item.value->>'failed' + item.value->>'suppressed' AS emails
          FROM campaign_pages p CROSS JOIN json_each(p.counts) item WHERE ${isNewPage(ctx, page)}) added
        WHERE ${inProject(ctx)} AND id = added.content_id`,
    ),
    upsertUsage(
      sql`SELECT p.project_id, ${monthOf(ctx.clock())}, ${campaign.templateId ?? ""}, p.open FROM campaign_pages p
        WHERE ${isNewPage(ctx, page)} AND p.open > 0`,
    ),
  ];
}
