import { sql } from "drizzle-orm";
import { canaryShare, draw, stretches, stretchOf, variantFor } from "../../core/campaigns/draw";
import { chunksOf } from "../../core/chunks";
import { belowAllIds, type Id, newIdAt } from "../../core/ids";
import { monthOf } from "../../core/time";
import { openBatch } from "../../db/batch";
import { type Statement, statement } from "../../db/statement";
import { insertPage, isNewPage } from "../../engine/campaigns/insert-page";
import { insertLeftOut } from "../../engine/campaigns/left-out";
import { whyWithheld } from "../../engine/mail/withhold";
import { monthIsOver, statusesInMonth } from "../../engine/projects/monthly-usage";
import { type Context, clockOf } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { byId, type Found, findNext } from "./find-next";
import { type Frozen, type Progress, recipientsOf, wantsMail } from "./frozen";
import { maxReleasedOf, recipientsPerPage, tellAccount } from "./release";
import { guardStep, type Run, updateRun } from "./run-row";

/** A recipient on the way into the ledger. */
interface Recipient {
  contactId: Id;
  /** The place of the content. */
  content: number;
}

/** Drawing for so many takes a few milliseconds. Then others have a turn. */
const drawnAtOnce = 2_000;

/**
 * Counts the recipients of a campaign with a canary, window by window, and decides who goes first: without that, nobody
 * knows how many a percent is. See core/campaigns/draw.ts.
 */
export async function measureStep(ctx: Context, run: Run, frozen: Frozen): Promise<void> {
  const { ids, after } = await nextRecipients(ctx, run, frozen);
  const weights = frozen.contents.map(({ weight }) => weight);
  const drawn = run.progress.drawn ?? weights.map(() => Array<number>(stretches).fill(0));
  for (const some of chunksOf(ids, drawnAtOnce)) {
    for (const contactId of some) {
      const counts = drawn[variantFor(weights, run.campaign.id, contactId)];
      const stretch = stretchOf(draw(run.campaign.id, contactId, "canary"));
      if (counts) counts[stretch] = (counts[stretch] ?? 0) + 1;
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
 * Writes the next recipients into the ledger: a row for each, unique per campaign and contact. Pages of one window are
 * written one after another, each in a batch that also says how far the ledger is. So a run that dies loses nothing, and
 * of two runs at once each page is written by one. Returns how many batches it made, for a window has some fifty.
 */
export async function enumerateStep(ctx: Context, run: Run, frozen: Frozen): Promise<number> {
  const found = await nextRecipients(ctx, run, frozen);
  const weights = frozen.contents.map(({ weight }) => weight);
  const pages = pagesOf(found);
  let here = run;
  for (const [place, { ids, leftOut, end }] of pages.entries()) {
    const isLast = place === pages.length - 1;
    const recipients = ids.map((contactId) => ({
      contactId,
      content: variantFor(weights, run.campaign.id, contactId),
    }));
    here = await writePage(ctx, here, frozen, { recipients, leftOut, after: isLast ? found.after : end });
    await letOthersIn();
  }
  if (pages.length === 0) await writePage(ctx, here, frozen, { recipients: [], leftOut: [], after: found.after });
  if (here.progress.open !== run.progress.open) await tellAccount(ctx);
  return pages.length;
}

/** The recipients in the next window of the audience, and `others`, who do not get such mail. */
function nextRecipients(ctx: Context, { campaign, progress }: Run, frozen: Frozen): Promise<Found> {
  return findNext(ctx, frozen, { ...recipientsOf(frozen, campaign), from: progress.after });
}

/** Contacts that are done together. Those left out are more, because they cost less. */
interface Batch {
  ids: Id[];
  leftOut: Id[];
  end: Id;
}

/** Looking up why somebody is left out reads five rows. */
const leftOutPerPage = 4_000;

/** A window in pages, in the order of ids: a page has all contacts up to its end. */
function pagesOf({ ids, others }: Found): Batch[] {
  const isOther = new Set(others);
  const pages: Batch[] = [];
  let page: Batch | null = null;
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

/** Recipients may have become such that they get no email since the window was read: then they are left out as well. */
async function writePage(
  ctx: Context,
  run: Run,
  frozen: Frozen,
  { recipients, leftOut, after }: { recipients: Recipient[]; leftOut: Id[]; after: Id | null },
): Promise<Run> {
  const { parts, progress } = shareOut(ctx, run, recipients, after);
  const now = ctx.clock().getTime();
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  for (const { part, people, isReleased } of parts) {
    batch.addAll(insertRecipients(ctx, run, frozen, { part, people, releasedAt: isReleased ? now : null }));
  }
  const asked = [...leftOut, ...recipients.map(({ contactId }) => contactId)];
  batch.addAll(insertLeftOut(ctx, run.campaign.id, asked));
  batch.add(updateRun(ctx, run, progress));
  await batch.commit();
  return { ...run, step: run.step + 1, progress };
}

interface Part {
  part: "CANARY" | "REST";
  people: Recipient[];
  isReleased: boolean;
}

/** Splits recipients into those of the canary and the others. The first pages of a campaign without one go out at once. */
function shareOut(
  ctx: Context,
  { campaign, progress }: Run,
  recipients: Recipient[],
  after: Id | null,
): { parts: Part[]; progress: Progress } {
  const next: Progress =
    after === null ? { ...progress, phase: "deliver", after: belowAllIds } : { ...progress, after };
  if (!progress.canary) {
    const open = (progress.open ?? 0) + recipients.length;
    const isReleased = open <= maxReleasedOf(ctx);
    return {
      parts: [{ part: "REST", people: recipients, isReleased }],
      progress: isReleased ? { ...next, open } : next,
    };
  }
  const canary = progress.canary.map((share) => ({ ...share }));
  const goesFirst = ({ contactId, content }: Recipient): boolean => {
    const share = canary[content];
    const stretch = stretchOf(draw(campaign.id, contactId, "canary"));
    if (!share || stretch > share.before) return false;
    if (stretch < share.before) return true;
    share.taken += 1;
    return share.taken <= share.more;
  };
  const { first = [], rest = [] } = Object.groupBy(recipients, (one) => (goesFirst(one) ? "first" : "rest"));
  return {
    parts: [
      { part: "CANARY", people: first, isReleased: false },
      { part: "REST", people: rest, isReleased: false },
    ],
    progress: { ...next, canary },
  };
}

interface Page {
  part: Part["part"];
  people: Recipient[];
  releasedAt: number | null;
}

/** The statements that write a page: its emails, itself, its counts, and what its emails take of contents and month. */
function insertRecipients(
  ctx: Context,
  { campaign }: Run,
  { contents }: Frozen,
  { part, people, releasedAt }: Page,
): Statement[] {
  const now = ctx.clock().getTime();
  const rows = people.map(({ contactId, content }) => [newIdAt(now), contactId, contents[content]?.contentId]);
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  if (!first || !last) return [];
  const project = ctx.project.number;
  const page = { campaignId: campaign.id, firstId: first, lastId: last };
  const withheld = whyWithheld(ctx, {
    type: sql`${campaign.type}`,
    email: sql`c.email`,
    optedOutAt: sql`c.opted_out_at`,
    topicId: sql`${campaign.topicId}`,
    contactId: sql`c.id`,
  });
  const isWanted = wantsMail(campaign.type, campaign.topicId);
  return [
    statement(
      sql`INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, to_email, source, priority, status, error,
          clock, next_attempt_at, due_at, created_at, ended_at)
        SELECT ${project}, id, content, contact, ${campaign.id}, email, 'CAMPAIGN', 2, status,
          CASE status WHEN 'SUPPRESSED' THEN reason WHEN 'FAILED' THEN ${monthIsOver} END, ${clockOf(ctx)},
          iif(status = 'QUEUED', ${releasedAt}, NULL), iif(status = 'QUEUED', ${releasedAt}, NULL), ${now},
          iif(status = 'QUEUED', NULL, ${now})
        FROM (SELECT *, ${statusesInMonth(ctx, ctx.clock())} AS status
          FROM (SELECT r.value->>0 AS id, r.value->>2 AS content, c.id AS contact, c.email, ${withheld} AS reason
            FROM json_each(${JSON.stringify(rows)}) r
            CROSS JOIN contacts c ON c.project_id = ${project} AND c.id = r.value->>1 AND ${isWanted}))
        WHERE true ON CONFLICT DO NOTHING`,
    ),
    ...insertPage(ctx, { ...page, part, releasedAt }),
    statement(
      sql`UPDATE email_contents SET recipients = recipients + added.emails
        FROM (SELECT item.key AS content_id,
            item.value->>'queued' + item.value->>'failed' + item.value->>'suppressed' AS emails
          FROM campaign_pages p CROSS JOIN json_each(p.counts) item WHERE ${isNewPage(ctx, page)}) added
        WHERE project_id = ${project} AND id = added.content_id`,
    ),
    statement(
      sql`INSERT INTO monthly_usage (project_id, month, template_id, emails)
        SELECT p.project_id, ${monthOf(ctx.clock())}, ${campaign.templateId ?? ""}, p.open FROM campaign_pages p
        WHERE ${isNewPage(ctx, page)} AND p.open > 0
        ON CONFLICT (project_id, month, template_id) DO UPDATE SET emails = emails + excluded.emails`,
    ),
  ];
}
