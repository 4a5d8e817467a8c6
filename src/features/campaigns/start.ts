import { sql } from "drizzle-orm";
import { mayBe } from "../../core/campaigns/status";
import type { Id } from "../../core/ids";
import { lostAfterMs, nudge } from "../../core/nudge";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { isInserted, rowById } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { CampaignRow, ContentRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { insertLinks } from "../../engine/campaigns/links";
import { MovedOn } from "../../engine/jobs/step";
import { insertContent } from "../../engine/mail/accept/insert-content";
import { loadBody } from "../../engine/mail/body";
import { linkBase } from "../../engine/mail/links";
import { type Frozen, firstProgress, freeze, notes } from "../../engine/recipients/frozen";
import { insertRun, sweepAt } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { contentOf } from "./content";
import { guardSenders, sendersOf } from "./save-statements";
import { guardSendingAtOnce } from "./sending-at-once";
import { forgetWatched } from "./watched";

/** How a campaign starts: "send" by a call, "start" at its scheduled time. */
export type StartAction = "send" | "start";

/**
 * Freezes a campaign, sets it to SENDING, and enqueues its run. Throws NotFound, UnverifiedSender, TooManySending, and
 * BadRequest when the campaign's status does not allow the start. The statements of `also` go into the same batch.
 */
export async function startCampaign(
  ctx: Context,
  id: Id,
  how: StartAction,
  also: (started: CampaignRow) => Promise<Statement[]> = async () => [],
): Promise<CampaignRow> {
  const started = await untilFresh(() => start(ctx, id, how, also), ctx.random);
  await enqueueRun(ctx, id);
  return started;
}

function isDue(ctx: Context, { status, scheduledFor }: CampaignRow): boolean {
  return status === "SCHEDULED" && (scheduledFor ?? 0) <= ctx.clock().getTime();
}

async function start(
  ctx: Context,
  id: Id,
  how: StartAction,
  also: (started: CampaignRow) => Promise<Statement[]>,
): Promise<CampaignRow> {
  const before = await getCampaign(ctx, id);
  // The campaign was unscheduled or postponed meanwhile.
  if (how === "start" && !isDue(ctx, before)) throw new MovedOn();
  if (!mayBe(how, before.status)) throw wrongState("send", before);
  const frozen = await freeze(ctx, before);
  const contents = contentsOf(ctx, before, frozen);
  const links = await bodiesOf(ctx, contents);
  const now = ctx.now.getTime();
  const after: CampaignRow = {
    ...before,
    status: "SENDING",
    heldReason: null,
    scheduledFor: how === "send" ? null : before.scheduledFor,
    sentAt: now,
    updatedAt: Math.max(before.updatedAt, now),
  };
  const batch = openBatch(ctx);
  // The contents have new ids, by which the batch recognises its own commit when the answer was lost.
  for (const { contentId } of frozen.contents) batch.recognise(isInserted("email_contents", ctx, contentId));
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  batch.addAll(guardSenders(ctx, sendersOf(before)));
  batch.add(guardSendingAtOnce(ctx));
  batch.addAll(insertContents(ctx, contents));
  batch.addAll(insertLinks(ctx, id, links));
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const started = batch.add(
    statement(
      sql`UPDATE campaigns SET status = ${after.status}, held_reason = NULL, scheduled_for = ${after.scheduledFor},
          sent_at = ${after.sentAt}, updated_at = ${after.updatedAt}, frozen = ${JSON.stringify(notes(frozen))},
          version = version + 1
        WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
      readCampaign,
      { again: rowById("campaigns", ctx, id) },
    ),
  );
  batch.add(
    insertRun(ctx, id, {
      dueAt: sweepAt(ctx, now + lostAfterMs),
      progress: firstProgress(before),
      linkBase: linkBase(ctx),
    }),
  );
  batch.addAll(await also(after));
  await batch.commit();
  forgetWatched();
  return started.one;
}

/** Returns the contents of a campaign's emails: one for each variant. */
function contentsOf(ctx: Context, row: CampaignRow, { contents, at }: Frozen): ContentRow[] {
  const base = linkBase(ctx);
  return contents.map(({ contentId }, index) =>
    contentOf(ctx, row, row.variants?.[index] ?? null, { id: contentId, at, linkBase: base }),
  );
}

/**
 * Inserts the contents. For a scheduled campaign, the base URL of links comes from the call that scheduled the
 * campaign.
 */
function insertContents(ctx: Context, contents: ContentRow[]): Statement[] {
  return contents.map((content) => {
    const storedBase = sql`(SELECT link_base FROM campaign_runs
      WHERE ${inProject(ctx)} AND id = ${content.campaignId})`;
    return insertContent(ctx, { ...content, linkBase: sql`coalesce(${content.linkBase}, ${storedBase})` });
  });
}

/** Returns the bodies whose links are tracked. */
function bodiesOf(ctx: Context, contents: ContentRow[]): Promise<{ contentId: Id; body: string | null }[]> {
  const tracked = contents.filter(({ isTracked }) => isTracked);
  return Promise.all(tracked.map(async (content) => ({ contentId: content.id, body: await loadBody(ctx, content) })));
}

/** Sends the message for the campaign's run, at once or later. Call it after the commit. */
export function enqueueRun(ctx: Context, id: Id, delaySeconds = 0): Promise<void> {
  const message = { type: "campaigns.run" as const, projectId: ctx.project.number, campaignId: id };
  return nudge(ctx, [delaySeconds === 0 ? { message } : { message, delaySeconds }]);
}
