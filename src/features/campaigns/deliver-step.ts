import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { ofCampaigns } from "../../core/mail/priority";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, asNumber, columns } from "../../db/rows";
import { select, statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { updateCounted } from "../../engine/campaigns/count-page";
import { MovedOn } from "../../engine/jobs/step";
import { paceOf } from "../../engine/mail/project-pace";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { deleteUnusedContents } from "./content";
import { endCanary, isCanaryAwaited, isCanaryOut } from "./end-canary";
import type { Next } from "./next";
import { maxReleasedOf, type PageRange, tellAccount, updateReleased } from "./release";
import { deleteRun, guardStep, lookAfter, type Run, runGraceMs, updateRun } from "./run-row";
import { saveProgress } from "./save-progress";

/** Pages that one look counts anew, and that it sees of those that are held. */
const pagesAtOnce = 10;

/** Pages that one step releases: some ten milliseconds of the database. */
const pagesPerRelease = 2;

/** A look at a campaign that goes well comes soon; one at mail that nobody takes comes less and less often. */
const waits = { least: secondMs, most: 30 * secondMs };

/**
 * One look at the ledger: counts what is out with the consumers of mail, and releases as many pages as there is room for.
 * When no page is held and no mail is open, the campaign is SENT.
 */
export async function deliverStep(ctx: Context, run: Run): Promise<Next> {
  if (isTooEarly(ctx, run)) return { kind: "over" };
  const { open, held } = await look(ctx, run);
  const most = maxReleasedOf(ctx);
  const room = most - open;
  const released = room > most / 2 || open === 0 ? pagesFor(held, room) : [];
  if (released.length > 0) return release(ctx, run, open, released);
  if (held.length > 0 || open > 0) return wait(ctx, run, open, { hasHeld: held.length > 0 });
  return isCanaryOut(run) && (await isCanaryAwaited(ctx, run)) ? endCanary(ctx, run) : finish(ctx, run);
}

/** A message came before its time. On a clock of its own a campaign waits for nothing between two looks. */
function isTooEarly(ctx: Context, { progress: { lookAt = 0 } }: Run): boolean {
  return !ctx.project.testClock && ctx.realClock().getTime() < lookAt;
}

interface HeldPage extends PageRange {
  open: number;
}

const readMarked = columns({ firstId: asId });
const readHeld = columns({ firstId: asId, lastId: asId, open: asNumber });
const readOpen = columns({ open: asNumber });

/** Counts marked pages of those that are out. Then, how much is out, and the next pages that are held. */
async function look(ctx: Context, run: Run): Promise<{ open: number; held: HeldPage[] }> {
  const { campaign } = run;
  const ofCampaign = sql`project_id = ${ctx.project.number} AND campaign_id = ${campaign.id}`;
  const marked = await select(
    ctx.db,
    sql`SELECT first_id FROM campaign_pages WHERE ${ofCampaign} AND released_at IS NOT NULL AND recount_at IS NOT NULL
      AND open > 0 ORDER BY recount_at LIMIT ${pagesAtOnce}`,
    readMarked,
  );
  const part = isCanaryOut(run) ? sql` AND part = 'CANARY'` : sql``;
  const batch = openBatch(ctx);
  for (const { firstId } of marked) batch.addAll(updateCounted(ctx, { campaignId: campaign.id, firstId }));
  const out = batch.add(
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
  return { open: out.one.open, held: held.all };
}

/** As many pages as there is room for, at least one. */
function pagesFor(held: HeldPage[], room: number): HeldPage[] {
  const pages: HeldPage[] = [];
  let left = room;
  for (const page of held) {
    if (pages.length > 0 && page.open > left) break;
    pages.push(page);
    left -= page.open;
  }
  return pages;
}

/** Pages go out a few at a time. Who dies in between has released what is released. */
async function release(ctx: Context, run: Run, open: number, pages: HeldPage[]): Promise<Next> {
  const sum = pages.reduce((all, page) => all + page.open, open);
  // Pages may be nearly empty: then there is room for the next ones at once.
  const isFull = sum > maxReleasedOf(ctx) / 2 || pages.length < pagesAtOnce;
  const waitMs = leastWaitMs(ctx, sum, { hasHeld: true });
  const until = ctx.realClock().getTime() + (isFull ? waitMs : 0);
  const progress = { ...run.progress, open: sum, waitMs, lookAt: until };
  let step = run.step;
  for (const some of chunksOf(pages, pagesPerRelease)) {
    const here = { ...run, step };
    const batch = openBatch(ctx);
    batch.add(guardStep(ctx, here));
    for (const page of some) batch.addAll(updateReleased(ctx, run.campaign.id, page));
    batch.add(updateRun(ctx, here, progress, lookAfter(ctx, until + runGraceMs)));
    await batch.commit();
    step += 1;
    await letOthersIn();
  }
  await tellAccount(ctx);
  return isFull ? { kind: "waits", until } : { kind: "goes on" };
}

async function wait(ctx: Context, run: Run, open: number, { hasHeld }: { hasHeld: boolean }): Promise<Next> {
  const { progress } = run;
  const hasMoved = open !== progress.open;
  const leastMs = leastWaitMs(ctx, open, { hasHeld });
  const waitMs = hasMoved ? leastMs : Math.max(leastMs, Math.min(waits.most, 2 * (progress.waitMs ?? waits.least)));
  const until = ctx.realClock().getTime() + waitMs;
  const next = { ...progress, open, waitMs, lookAt: until };
  await saveProgress(ctx, run, next, lookAfter(ctx, until + runGraceMs));
  return { kind: "waits", until };
}

/** At the project's pace, if it has one, there is nothing to do until the next pages go out, or the last mail did. */
function leastWaitMs(ctx: Context, open: number, { hasHeld }: { hasHeld: boolean }): number {
  const perSecond = paceOf(ctx, ofCampaigns);
  if (perSecond === null) return waits.least;
  const mails = open - (hasHeld ? maxReleasedOf(ctx) / 2 : 0);
  return Math.min(waits.most, Math.max(waits.least, Math.ceil((secondMs * mails) / perSecond)));
}

/** Ends a campaign whose emails are all final. The batch asks once more: a person may have opened an email again. */
async function finish(ctx: Context, run: Run): Promise<Next> {
  const { id } = run.campaign;
  const now = ctx.clock().getTime();
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  batch.guard(
    sql`NOT EXISTS (SELECT 1 FROM campaign_pages WHERE project_id = ${ctx.project.number} AND campaign_id = ${id}
      AND open > 0)`,
    () => new MovedOn(),
  );
  batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'SENT', completed_at = ${now}, version = version + 1
        WHERE project_id = ${ctx.project.number} AND id = ${id} AND status = 'SENDING'`,
    ),
  );
  batch.addAll(replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}));
  batch.addAll([deleteUnusedContents(ctx, id), deleteRun(ctx, id)]);
  await batch.commit();
  return { kind: "over" };
}
