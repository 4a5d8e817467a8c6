import { newId, textOf } from "../../../core/ids";
import { unfitness } from "../../../core/mail/abilities";
import { type Message, maxSubjectLength } from "../../../core/mail/message";
import { ended, held, type MailOutcome, outcomeOfAbandoned, outcomeOfLateRetry } from "../../../core/mail/outcome";
import { laneOf } from "../../../core/mail/priority";
import { Budget } from "../../../core/templating/budget";
import { RenderLimitError, TemplateRenderError, whyUnrendered } from "../../../core/templating/errors";
import { minuteMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { openSlices } from "../../../platform/let-others-in";
import { isStandIn } from "../../../platform/mailer/accounts";
import { isMarketingPaused } from "../../projects/sending-paused";
import { largeMailBytes } from "../announce";
import { keptSnapshot } from "../content";
import { failures } from "../failures";
import { mailTracker, recipientLinks } from "../links";
import { renderMessage } from "../render";
import { contactGone } from "../withhold";
import { type Delivery, loadContent } from "./delivery";
import { type Call, type Ready, resultOf } from "./hand-over";
import type { PlannedRound } from "./plan-round";
import type { Result } from "./record";
import type { Repeat } from "./repeats";

/** A composed round: the calls that can be made, and the emails that end without a call to the provider. */
interface ComposedRound {
  next: Call[];
  ended: Result[];
  /** Emails that need a round of their own, and emails that are left for a later round. */
  setAside: EmailRow[];
  /**
   * Emails that could not be composed now, for example because R2 did not answer for their files. These emails do not
   * delay the others.
   */
  failed: { email: EmailRow; error: unknown }[];
}

type ComposedMails = Omit<ComposedRound, "next"> & { ready: Ready[] };

/**
 * A round of several emails accepts no further mail once it has more than this many bytes in memory, before encoding.
 */
const maxRoundBytes = 4 * largeMailBytes;

/**
 * The maximum number of units of work to render one round: about a second of CPU. A round ends early when they are used
 * up, or when the invocation's CPU is spent. The rest of its mail is left for later.
 */
const maxRoundUnits = 100_000_000;

/** Composes the emails of a planned round, and forms calls from those that can be handed over. */
export async function composeRound(ctx: Context, delivery: Delivery, planned: PlannedRound): Promise<ComposedRound> {
  const composed = await composeMails(ctx, delivery, planned);
  const { ready, ...others } = composed;
  if (planned.repeat) return { ...others, ...repeated(planned.repeat, composed) };
  if (planned.kind === "shared") {
    return { ...others, next: ready.length > 0 ? [{ id: newCallId(), mails: ready, isRepeat: false }] : [] };
  }
  const next = ready.map((mail): Call => {
    const { uncertainSince, round } = mail.email;
    const known = uncertainSince === null ? null : round;
    return { id: known ?? newCallId(), mails: [mail], isRepeat: known !== null };
  });
  return { ...others, next };
}

function newCallId(): string {
  return textOf(newId());
}

/** Repeats a call completely or not at all: the provider would not recognise it with different emails. */
function repeated(repeat: Repeat, { ready, failed }: ComposedMails): Omit<ComposedRound, "setAside"> {
  const mine = repeat.emails.filter(({ status, round }) => status === "QUEUED" && round === repeat.id);
  const [first] = failed;
  if (first) return { next: [], ended: [], failed: mine.map((email) => ({ email, error: first.error })) };
  if (ready.length > 0 && ready.length === repeat.emails.length) {
    return { next: [{ id: repeat.id, mails: ready, isRepeat: true }], ended: [], failed: [] };
  }
  const lost = "The outcome is unknown, and the call cannot be repeated: one of its emails is gone";
  return {
    next: [],
    ended: mine.map((email) => resultOf(email, ended("FAILED", lost, email.uncertainSince))),
    failed: [],
  };
}

/**
 * Composes emails one by one. The size of an email, and the work to render it, may only become known here. A template's
 * body in R2 was never measured, and a small body can render to a large text. The round of a repeated call never ends
 * early.
 */
async function composeMails(
  ctx: Context,
  delivery: Delivery,
  { emails: round, repeat }: PlannedRound,
): Promise<ComposedMails> {
  const isWhole = repeat !== null;
  const composed: ComposedMails = { ready: [], ended: [], setAside: [], failed: [] };
  const isAlone = round.length === 1;
  let [bytes, units] = [0, 0];
  const isPaused = await mayNotMarket(ctx, delivery);
  const slices = openSlices(ctx.cpu);
  const isSpent = () => units > maxRoundUnits || (units > 0 && ctx.cpu.isSpent());
  for (const email of round) {
    const isEnough = bytes > maxRoundBytes || (isSpent() && !isWhole);
    if (!isAlone && (delivery.large.has(email.contentId) || isEnough)) {
      composed.setAside.push(email);
      continue;
    }
    await slices.between();
    const budget = new Budget();
    const mail =
      isPaused && waitsForLift(delivery, email)
        ? heldMail(ctx, email, failures.sendingPaused)
        : await composeOrFail(ctx, delivery, email, budget);
    slices.spend(budget.spent);
    units += budget.spent;
    if ("error" in mail && "email" in mail) composed.failed.push(mail);
    else if ("status" in mail) composed.ended.push(resultOf(email, mail));
    else if (isAlone || sizeOf(mail.message) <= largeMailBytes) {
      composed.ready.push(mail);
      bytes += sizeOf(mail.message);
    } else {
      delivery.large.add(email.contentId);
      composed.setAside.push(email);
    }
  }
  return composed;
}

/**
 * Whether marketing mail of the delivery must wait, because the project's marketing email is paused. Checked for each
 * round, because a delivery takes a while and the pause may begin meanwhile.
 */
async function mayNotMarket(ctx: Context, { contents }: Delivery): Promise<boolean> {
  const hasMarketing = [...contents.values()].some(({ type }) => type === "MARKETING");
  return hasMarketing && (await isMarketingPaused(ctx, ctx.project));
}

/**
 * Whether an email waits until its project's marketing is resumed. An email that may already have been sent does not
 * wait: its call is repeated while the provider still recognises it.
 */
function waitsForLift({ contents }: Delivery, { contentId, uncertainSince }: EmailRow): boolean {
  return uncertainSince === null && contents.get(contentId)?.type === "MARKETING";
}

/**
 * Returns the outcome of held mail. Mail of a campaign is checked again after a minute. Usually a held campaign takes
 * its mail back, but it may miss a short hold, or may have ended already.
 */
function heldMail(ctx: Context, { campaignId }: EmailRow, reason: string): MailOutcome {
  return held(reason, campaignId === null ? null : ctx.clock().getTime() + minuteMs);
}

async function composeOrFail(
  ctx: Context,
  delivery: Delivery,
  email: EmailRow,
  budget: Budget,
): Promise<Ready | MailOutcome | { email: EmailRow; error: unknown }> {
  try {
    return await composeEmail(ctx, delivery, email, budget);
  } catch (error) {
    return { email, error };
  }
}

function sizeOf({ html, text, attachments }: Message): number {
  return attachments.reduce((sum, { content }) => sum + content.length, html.length + text.length);
}

/**
 * Returns the complete message of an email, or its outcome when there is no message. All rendering is charged to the
 * budget.
 */
export async function composeEmail(
  ctx: Context,
  delivery: Delivery,
  email: EmailRow,
  budget: Budget,
): Promise<Ready | MailOutcome> {
  const { uncertainSince } = email;
  const abandoned = delivery.isAgain ? outcomeOfAbandoned(email.abandonments, uncertainSince) : null;
  if (abandoned) return abandoned;
  // Only the provider that was called before would recognise the mail. For any other provider, the repeat window is 0.
  const windowMs = email.provider === ctx.mailer.name ? ctx.mailer.idempotencyWindowMs : 0;
  const late = outcomeOfLateRetry(uncertainSince, windowMs, ctx.clock().getTime());
  if (late) return late;
  // Mail of a campaign waits instead of failing, because the campaign is held as well, and may continue once the
  // project is enabled.
  if (ctx.project.disabled && email.campaignId !== null && uncertainSince === null)
    return heldMail(ctx, email, failures.projectDisabled);
  if (ctx.project.disabled) return ended("FAILED", failures.projectDisabled, uncertainSince);
  if (email.contact === null) return ended("CANCELLED", contactGone, uncertainSince);
  const content = delivery.contents.get(email.contentId);
  const loaded = content && (await loadContent(ctx, delivery, content));
  if (!content || !loaded) return ended("FAILED", "The content of this email is no longer stored", uncertainSince);
  const { body, attachments } = loaded;
  // After the mail was accepted, the domain may have lost its verification, or moved to another project.
  if (!delivery.maySend.has(content.id)) return ended("FAILED", failures.domainGone, uncertainSince);
  const links = recipientLinks(ctx, content, email);
  if ((content.type === "MARKETING" || content.isConfirmation) && links === null)
    return ended("FAILED", failures.noLinks, uncertainSince);
  try {
    const said = { ...content, body };
    const message = {
      ...renderMessage(ctx.project, email, {
        content: said,
        contact: email.contact,
        links,
        tracker: mailTracker(ctx, said, email.id),
        budget,
      }),
      attachments,
    };
    if (message.subject.length > maxSubjectLength)
      return ended("FAILED", `The rendered subject is longer than ${maxSubjectLength} characters`, uncertainSince);
    const unfit = unfitness(ctx.mailer, message.type, message);
    if (unfit !== null) return unfitMail(ctx, email, unfit);
    return { email, message, topicId: content.topicId, contact: keptSnapshot(said, email.contact) };
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError)
      return ended("FAILED", whyUnrendered(error), uncertainSince);
    throw error;
  }
}

/**
 * Returns the outcome of mail that this account cannot carry. If this account only stands in for another one, the mail
 * waits for the other account.
 */
function unfitMail(ctx: Context, { priority, uncertainSince }: EmailRow, reason: string): MailOutcome {
  if (uncertainSince !== null || !isStandIn(ctx.accounts, ctx.mailer, laneOf(priority)))
    return ended("FAILED", reason, uncertainSince);
  return held(reason, ctx.clock().getTime() + minuteMs);
}
