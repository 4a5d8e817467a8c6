import { eachOf } from "../../../core/each-of";
import { type Id, newId, textOf } from "../../../core/ids";
import type { Grant } from "../../../core/mail/permits";
import { laneOf, type Priority } from "../../../core/mail/priority";
import { paceOf } from "../../../core/mail/project-pace";
import type { Done, PermitRequest } from "../../../core/mail/turns";
import { openWatch, type Watch } from "../../../core/mail/watch";
import type { MessageOf } from "../../../core/messages";
import { secondMs } from "../../../core/time";
import { type Context, forProject, type Platform } from "../../../platform/context";
import { accountOf, through } from "../../../platform/mailer/accounts";
import { findProject } from "../../projects/project";
import { sendForDrainer } from "../announce";
import { deliverPermitted } from "./deliver";

/** Emails of one project and priority that a message has just announced. */
export interface FreshMail {
  ctx: Context;
  priority: Priority;
  emailIds: Id[];
  /** Whether a consumer may have died while handling these emails: see `deliverPermitted`. */
  isAgain: boolean;
}

/**
 * If a permit is not used within this time of its request, it is given back, and its mail waits. The account itself
 * lets a permit expire two minutes after the request.
 */
const permitKeepsMs = 30 * secondMs;

/** How long a consumer may keep permits that it no longer needs, so that it returns several at once. */
const giveBackEveryMs = secondMs;

/** Handles `mail.deliver`. */
export async function deliverMessage(platform: Platform, message: MessageOf<"mail.deliver">): Promise<void> {
  const [error] = await deliverMessages(platform, [message]);
  if (error !== null) throw error;
}

/**
 * Handles several `mail.deliver` messages, each about fresh mail of one project. Returns the error of each message, or
 * null for a message that succeeded.
 */
export async function deliverMessages(
  platform: Platform,
  messages: readonly MessageOf<"mail.deliver">[],
): Promise<unknown[]> {
  const found = await Promise.allSettled(messages.map(({ projectId }) => findProject(platform, projectId)));
  const outcomes = found.map((one): unknown => (one.status === "rejected" ? one.reason : null));
  const fresh = messages.flatMap(({ priority, emailIds, again = false }, index) => {
    const one = found[index];
    // The mail of a deleted project is deleted with the project.
    if (one?.status !== "fulfilled" || one.value === null) return [];
    return [{ index, mail: { ctx: forProject(platform, one.value), priority, emailIds, isAgain: again } }];
  });
  const errors = await deliverFresh(fresh.map(({ mail }) => mail));
  for (const [failed, { index }] of fresh.entries()) outcomes[index] = errors[failed];
  return outcomes;
}

/**
 * Hands fresh emails of several projects to the provider, as many as it accepts now. The other emails wait in their
 * rows, without a write and without a message, until a consumer of `mail.drain` reads them. The account is asked once
 * for all of the mail, and gets its permits back in groups.
 *
 * A message may arrive twice, late, or while another consumer is working, so only an email's row decides what happens
 * to the email.
 *
 * Returns one entry per item: its error, or null.
 */
export async function deliverFresh(items: readonly FreshMail[]): Promise<unknown[]> {
  const errors = new Map<FreshMail, unknown>();
  const shared = items.map((item) => sharing(item, items.length));
  // Mail of a project with a test clock never waits for an account, so such a project is a group of its own.
  const accounts = Map.groupBy(shared, ({ ctx }) => (ctx.project.testClock ? ctx.project.number : ctx.mailer.name));
  await Promise.all([...accounts.values()].map((group) => deliverOf(group, errors)));
  return items.map((item) => errors.get(item) ?? null);
}

interface Shared {
  item: FreshMail;
  /**
   * The context for delivering this email. It has the mail's share of the invocation's limits, and the account that
   * carries the mail.
   */
  ctx: Context;
  request: PermitRequest;
}

function sharing(item: FreshMail, sharers: number): Shared {
  const { ctx, priority, emailIds } = item;
  const share = (whole: number) => Math.max(1, Math.floor(whole / sharers));
  const isPaced = paceOf(ctx, priority) !== null;
  return {
    item,
    ctx: {
      ...through(ctx, accountOf(ctx.accounts, laneOf(priority))),
      ...{ callsAtOnce: share(ctx.callsAtOnce), maxRounds: share(ctx.maxRounds) },
    },
    request: {
      permitId: textOf(newId()),
      project: ctx.project.number,
      priority,
      mails: emailIds.length,
      isPaced,
      sharers,
    },
  };
}

/**
 * Delivers mail that waits for the same account. Mail that this account redirects goes through the fallback account at
 * the same time.
 */
async function deliverOf(group: readonly Shared[], errors: Map<FreshMail, unknown>): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { ctx } = first;
  const { callsAtOnce } = first.item.ctx;
  const { grants, drainAt } = await ctx.pace.ask(group.map(({ request }) => request));
  await sendForDrainer(ctx, drainAt);
  const now = () => ctx.realClock().getTime();
  const askedAt = now();
  const granted = group.flatMap((shared, index) => {
    const grant = grants[index];
    return grant && grant.mails > 0 ? [{ shared, grant }] : [];
  });
  const watches = { transactional: openWatch(), campaign: openWatch() };
  let [ended, reportedAt]: [Done[], number] = [[], askedAt];
  const giveBack = async () => {
    const dones = ended;
    [ended, reportedAt] = [[], now()];
    if (dones.length > 0) await sendForDrainer(ctx, (await ctx.pace.giveBack(dones)).drainAt);
  };
  const { fallback } = ctx.accounts;
  const sentElsewhere = group.filter((_, index) => fallback !== null && grants[index]?.isElsewhere);
  const throughFallback = sentElsewhere.flatMap((shared) =>
    fallback === null ? [] : [{ ...shared, ctx: through(shared.ctx, fallback) }],
  );
  const delivered = deliverOf(throughFallback, errors);
  await eachOf(granted, callsAtOnce, async ({ shared, grant }) => {
    const { done, error } = await deliverGranted(shared, grant, {
      watch: watches[laneOf(shared.item.priority)],
      isLate: now() >= askedAt + permitKeepsMs,
    });
    if (error !== null) errors.set(shared.item, error);
    ended.push(done);
    // Other consumers must learn at once that something is wrong with the account.
    const isWrong = done.verdict.kind !== "answered" && done.verdict.kind !== "unused";
    if (isWrong || now() >= reportedAt + giveBackEveryMs) await giveBack();
  });
  await giveBack();
  await delivered;
}

async function deliverGranted(
  { item, ctx, request }: Shared,
  grant: Grant,
  { watch, isLate }: { watch: Watch; isLate: boolean },
): Promise<{ done: Done; error: unknown }> {
  const { permitId, priority } = request;
  if (isLate || watch.isOver()) {
    return { done: { permitId, verdict: { kind: "unused" }, calls: 0, hasMore: true }, error: null };
  }
  const emailIds = item.emailIds.slice(0, grant.mails);
  return deliverPermitted(ctx, { id: permitId, priority, ...grant }, emailIds, { isAgain: item.isAgain, watch });
}
