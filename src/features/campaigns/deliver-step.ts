import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { ofCampaigns } from "../../core/mail/priority";
import { paceOf } from "../../core/mail/project-pace";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { updateCounted } from "../../engine/campaigns/count-page";
import { MovedOn } from "../../engine/jobs/step";
import {
  deleteRun,
  guardStep,
  type NextStep,
  type Run,
  runGraceMs,
  saveProgress,
  sweepAt,
  updateRun,
} from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { deleteUnusedContents, emptyLeftContents } from "./content";
import { endCanary, isCanaryAwaited, isCanaryOut } from "./end-canary";
import { announceMail, maxReleasedOf, type PageRange, updateReleased } from "./release";

/** The maximum number of released pages that one step counts, and the maximum number of held pages that it reads. */
const pagesAtOnce = 10;

/** The maximum number of pages that one batch releases. That takes the database about ten milliseconds. */
const pagesPerBatch = 2;

/**
 * The shortest and the longest wait between two steps. The wait is shortest while emails are being sent, and doubles
 * after each step that finds no progress.
 */
const waits = { least: secondMs, most: 30 * secondMs };

/**
 * Takes one step of delivery: counts the released emails that are still open, and releases as many pages as the limit
 * allows. When no page is held and no email is open, the campaign is SENT.
 */
export async function deliverStep(ctx: Context, run: Run): Promise<NextStep> {
  if (isTooEarly(ctx, run)) return { kind: "over" };
  const { open, held } = await readLedger(ctx, run);
  const most = maxReleasedOf(ctx);
  const available = most - open;
  const released = available > most / 2 || open === 0 ? pagesFor(held, available) : [];
  if (released.length > 0) return release(ctx, run, open, released);
  if (held.length > 0 || open > 0) return wait(ctx, run, open, { hasHeld: held.length > 0 });
  return isCanaryOut(run) && (await isCanaryAwaited(ctx, run)) ? endCanary(ctx, run) : finish(ctx, run);
}

/**
 * Whether the message has arrived before the next step is due. On a test clock, a campaign does not wait between two
 * steps.
 */
function isTooEarly(ctx: Context, { progress: { lookAt = 0 } }: Run): boolean {
  return !ctx.project.testClock && ctx.realClock().getTime() < lookAt;
}

interface HeldPage extends PageRange {
  open: number;
}

const readMarked = columns({ firstId: asId });
const readHeld = columns({ firstId: asId, lastId: asId, open: asNumber });
const readOpen = columns({ open: asNumber });

/**
 * Recounts the released pages that are marked for a recount. Returns the number of released emails that are still open,
 * and the next held pages.
 */
async function readLedger(ctx: Context, run: Run): Promise<{ open: number; held: HeldPage[] }> {
  const { campaign } = run;
  const ofCampaign = sql`${inProject(ctx)} AND campaign_id = ${campaign.id}`;
  const marked = await select(
    ctx.db,
    sql`SELECT first_id FROM campaign_pages WHERE ${ofCampaign} AND released_at IS NOT NULL AND recount_at IS NOT NULL
      AND open > 0 ORDER BY recount_at LIMIT ${pagesAtOnce}`,
    readMarked,
  );
  const part = isCanaryOut(run) ? sql` AND part = 'CANARY'` : sql``;
  const batch = openBatch(ctx);
  for (const { firstId } of marked) batch.addAll(updateCounted(ctx, { campaignId: campaign.id, firstId }));
  const released = batch.add(
    statement(
      sql`SELECT coalesce(sum(open), 0) AS open FROM campaign_pages WHERE ${ofCampaign} AND released_at IS NOT NULL`,
      readOpen,
    ),
  );
  const held = batch.add(
    statement(
      sql`SELECT first_id, last_id, open FROM campaign_pages WHERE ${ofCampaign} AND released_at IS NULL AND open > 0${part}
        ORDER BY first_id LIMIT ${pagesAtOnce}`,
      readHeld,
    ),
  );
  await batch.commit();
  return { open: released.one.open, held: held.all };
}

/** Returns at least one page, and as many as fit into the limit. */
function pagesFor(held: HeldPage[], available: number): HeldPage[] {
  const pages: HeldPage[] = [];
  let remaining = available;
  for (const page of held) {
    if (pages.length > 0 && page.open > remaining) break;
    pages.push(page);
    remaining -= page.open;
  }
  return pages;
}

/** Releases pages a few per batch. If the process dies in between, the released pages stay released. */
async function release(ctx: Context, run: Run, open: number, pages: HeldPage[]): Promise<NextStep> {
  const sum = pages.reduce((all, page) => all + page.open, open);
  // Nearly empty pages use little of the limit, so the next pages can be released at once.
  const isFull = sum > maxReleasedOf(ctx) / 2 || pages.length < pagesAtOnce;
  const waitMs = leastWaitMs(ctx, sum, { hasHeld: true });
  const until = ctx.realClock().getTime() + (isFull ? waitMs : 0);
  const progress = { ...run.progress, open: sum, waitMs, lookAt: until };
  let step = run.step;
  for (const some of chunksOf(pages, pagesPerBatch)) {
    const here = { ...run, step };
    const batch = openBatch(ctx);
    batch.add(guardStep(ctx, here));
    for (const page of some) batch.addAll(updateReleased(ctx, run.campaign.id, page));
    batch.add(updateRun(ctx, here, progress, sweepAt(ctx, until + runGraceMs)));
    await batch.commit();
    step += 1;
    await letOthersIn();
  }
  await announceMail(ctx);
  return isFull ? { kind: "waits", until } : { kind: "goes on" };
}

async function wait(ctx: Context, run: Run, open: number, { hasHeld }: { hasHeld: boolean }): Promise<NextStep> {
  const { progress } = run;
  const hasMoved = open !== progress.open;
  const leastMs = leastWaitMs(ctx, open, { hasHeld });
  const waitMs = hasMoved ? leastMs : Math.max(leastMs, Math.min(waits.most, 2 * (progress.waitMs ?? waits.least)));
  const until = ctx.realClock().getTime() + waitMs;
  const next = { ...progress, open, waitMs, lookAt: until };
  await saveProgress(ctx, run, next, sweepAt(ctx, until + runGraceMs));
  return { kind: "waits", until };
}

/**
 * Returns the shortest useful wait between two steps. If the project has a pace, the next step has nothing to do until
 * half of the limit is free for the next pages, or until the last email is sent.
 */
function leastWaitMs(ctx: Context, open: number, { hasHeld }: { hasHeld: boolean }): number {
  const perSecond = paceOf(ctx, ofCampaigns);
  if (perSecond === null) return waits.least;
  const mails = open - (hasHeld ? maxReleasedOf(ctx) / 2 : 0);
  return Math.min(waits.most, Math.max(waits.least, Math.ceil((secondMs * mails) / perSecond)));
}

/**
 * Ends a campaign whose emails are all settled. The batch checks this again, because a retry may have reopened an
 * email.
 */
async function finish(ctx: Context, run: Run): Promise<NextStep> {
  const { id } = run.campaign;
  const now = ctx.clock().getTime();
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  batch.guard(
    sql`NOT EXISTS (SELECT 1 FROM campaign_pages WHERE ${inProject(ctx)} AND campaign_id = ${id}
      AND open > 0)`,
    () => new MovedOn(),
  );
  batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'SENT', completed_at = ${now}, version = version + 1
        WHERE ${inProject(ctx)} AND id = ${id} AND status = 'SENDING'`,
    ),
  );
  batch.addAll(replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}));
  batch.addAll([deleteUnusedContents(ctx, id), deleteRun(ctx, id), emptyLeftContents(ctx, id)]);
  await batch.commit();
  return { kind: "over" };
}
