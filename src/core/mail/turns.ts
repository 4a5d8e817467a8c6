import { type Account, type AccountRule, type Moment, permitMs } from "./account";
import { isDown, nextCallAt, type Verdict } from "./breaker";
import { callDrainer } from "./call-drainer";
import { withRead } from "./campaign-speed";
import { addToRing, catchUp } from "./catch-up";
import { callsPerTurn, elsewhere, type Grant, grantPermit, judge, none, openLanes, returnCalls } from "./permits";
import { laneOf, ofCampaigns, type Priority, priorities } from "./priority";
import { parkIfEmpty, putMailsBack, takeMails } from "./project-pace";
import { firstOf, leave, type MailCursor, moveToEnd, readTo, stopReading } from "./ring";

export interface Turn extends Grant {
  project: number;
  priority: Priority;
  after: MailCursor | null;
  /** Whether this project's mail may have killed a consumer. If so, its emails are handled one at a time. */
  isSuspect: boolean;
  /** Whether the lane was paused, so that a single email tests whether the provider works again. */
  isProbe: boolean;
}

/**
 * Adds `drainAt` to an answer: the caller must make sure that a drainer (a consumer of waiting mail) starts at that
 * time. It is null when another caller does so, or when no drainer is needed.
 */
export type WithDrainer<T> = T & { drainAt: number | null };

export type NextTurn =
  | WithDrainer<{ kind: "turn"; turn: Turn }>
  /** The caller must wait until the time `until`, or send a message that arrives then. */
  | { kind: "wait"; until: number }
  | { kind: "nothing to do" };

/**
 * A consumer's request to deliver fresh mail of one project. `permitId` has not been used before. Mail that is not
 * granted waits in the ring from now on.
 */
export interface PermitRequest {
  permitId: string;
  project: number;
  priority: Priority;
  mails: number;
  /**
   * Whether the project has a pace of its own for this email. If so, the mail waits for a drainer, which obeys that
   * pace.
   */
  isPaced?: boolean;
  /** The number of requests, including this one, that share the consumer's concurrent calls. */
  sharers?: number;
}

/** Answers the requests for all fresh mail of a consumer in order, each as if it had been made alone. */
export function askFor(
  account: Account,
  requests: readonly PermitRequest[],
  rule: AccountRule,
  moment: Moment,
): WithDrainer<{ grants: Grant[] }> {
  catchUp(account, moment);
  const grants = requests.map((request) => {
    if (rule.failsOver && goesElsewhere(account, request, moment)) return elsewhere;
    const grant = mustWait(account, request, rule) ? none : grantPermit(account, request, rule, moment);
    if (grant.mails < request.mails) addToRing(account, request.project, request.priority, "cursor");
    return grant;
  });
  return { grants, drainAt: callDrainer(account, rule, moment) };
}

/**
 * Whether fresh mail goes through another account. It does not when a probe is due and no mail waits: the fresh mail is
 * then the probe, because without one the lane would never open again.
 */
function goesElsewhere(account: Account, { priority }: PermitRequest, { now }: Moment): boolean {
  const lane = laneOf(priority);
  if (lane !== "transactional" || !isTransactionalDown(account, now)) return false;
  return nextCallAt(account.lanes[lane]).at > now || account.ring.lanes[lane].size > 0;
}

/** Whether transactional mail should use another account. */
export function isTransactionalDown({ lanes }: Account, now: number): boolean {
  return isDown(lanes.transactional, now);
}

/** A drainer's request for a turn. `permitId` has not been used before. */
export interface Drainer {
  permitId: string;
  /** The end of the previous turn; null when the drainer was started by a message. */
  done: Done | null;
}

/** Returns the next turn among the waiting projects. */
export function nextTurn(account: Account, { permitId, done }: Drainer, rule: AccountRule, moment: Moment): NextTurn {
  if (done) endPermit(account, done, rule, moment);
  catchUp(account, moment);
  if (done === null && account.drainerAt !== null && account.drainerAt <= moment.now) account.drainerAt = null;
  const next = firstOf(account.ring, openLanes(account, rule, moment.now));
  if (next === null) {
    const until = callDrainer(account, rule, moment);
    return until === null ? { kind: "nothing to do" } : { kind: "wait", until };
  }
  const { priority, waiting } = next;
  const { project, isSuspect } = waiting;
  const mail = waiting.mail.get(priority);
  const limit = callsPerTurn(rule);
  const { isProbe } = nextCallAt(account.lanes[laneOf(priority)]);
  if (waiting.deficit <= 0) waiting.deficit += limit;
  const mails = waiting.deficit * (rule.pace === null ? 1 : rule.mailsPerCall);
  const grant = grantPermit(account, { permitId, project, priority, mails }, rule, moment, {
    isDrainer: true,
    isSuspect,
  });
  waiting.deficit -= grant.calls;
  if (mail) mail.reader = permitId;
  // A project that has used up its turn goes to the end of the ring.
  if (waiting.deficit <= 0) moveToEnd(account.ring, waiting);
  const turn = { ...grant, project, priority, after: mail?.cursor ?? null, isSuspect, isProbe };
  return { kind: "turn", turn, drainAt: callDrainer(account, rule, moment) };
}

/**
 * Returns how many mails a drainer may read, when the project of its turn has a pace of its own. If it may read none,
 * the turn is over, and the project rejoins the ring by itself when its pace allows more.
 */
export function takeShare(
  account: Account,
  permitId: string,
  { perSecond, mails }: { perSecond: number; mails: number },
  { now }: Moment,
): number {
  const permit = account.permits.get(permitId);
  if (!permit) return 0;
  const { project, priority } = permit;
  permit.share = takeMails(account.paces, { project, perSecond, mails }, now);
  if (permit.share === 0 && parkIfEmpty(account.paces, project, now)) leave(account.ring, project, priority);
  return permit.share;
}

/**
 * Records that a drainer has read this many emails, up to `cursor`, which is null when there are no more. Another
 * drainer may continue from there, unless the project's mail must wait because of its own pace.
 */
export function readUpTo(
  account: Account,
  permitId: string,
  { cursor, mails }: { cursor: MailCursor | null; mails: number },
  { now }: Moment,
): void {
  const permit = account.permits.get(permitId);
  if (!permit) return;
  const { project, priority, share } = permit;
  if (share !== null) {
    putMailsBack(account.paces, project, share - mails);
    permit.share = null;
    if (cursor !== null && parkIfEmpty(account.paces, project, now)) leave(account.ring, project, priority);
  } else if (priority === ofCampaigns) {
    if (account.readAt !== null) account.speed = withRead(account.speed, { mails, ms: now - account.readAt });
    account.readAt = cursor === null ? null : now;
  }
  readTo(account.ring, project, priority, permitId, cursor);
}

/**
 * Called between two rounds of one permit. Returns whether the next round may start; if not, the mail goes back to the
 * ring.
 */
export function mayGoOn(account: Account, permitId: string, verdict: Verdict, calls: number, moment: Moment): boolean {
  catchUp(account, moment);
  const permit = account.permits.get(permitId);
  if (!permit) return false;
  judge(account, permit, verdict, moment);
  permit.calls -= calls;
  permit.until = moment.now + permitMs;
  // The probe was a single call. Its consumer must ask again.
  const wasProbe = permit.isProbe;
  permit.isProbe = false;
  const { at, isProbe } = nextCallAt(account.lanes[permit.lane]);
  return !wasProbe && !isProbe && at <= moment.now && permit.calls > 0;
}

/** A consumer's report that ends its permit. */
export interface Done {
  permitId: string;
  /** The verdict of the last round. */
  verdict: Verdict;
  /** The number of calls in the last round. */
  calls: number;
  /** Whether some mail was not handed over and still waits. */
  hasMore: boolean;
  /**
   * Whether the project leaves the ring until a sweep adds it again: it is gone, or its mail could not be delivered.
   */
  isOver?: boolean;
}

export function giveBack(
  account: Account,
  dones: readonly Done[],
  rule: AccountRule,
  moment: Moment,
): { drainAt: number | null } {
  for (const done of dones) endPermit(account, done, rule, moment);
  catchUp(account, moment);
  return { drainAt: callDrainer(account, rule, moment) };
}

function endPermit(
  account: Account,
  { permitId, verdict, calls, hasMore, isOver }: Done,
  rule: AccountRule,
  moment: Moment,
): void {
  const permit = account.permits.get(permitId);
  if (!permit) return;
  const { project, priority } = permit;
  account.permits.delete(permitId);
  judge(account, permit, verdict, moment);
  returnCalls(account, permit, Math.max(0, permit.calls - calls), rule);
  stopReading(account.ring, project, priority, permitId);
  const waiting = account.ring.projects.get(project);
  if (waiting && permit.isSuspect) waiting.isSuspect = false;
  if (isOver) {
    leave(account.ring, project, priority);
    if (priority === ofCampaigns) account.paces.parked.delete(project);
  } else if (hasMore) addToRing(account, project, priority, "beginning");
}

/**
 * Adds projects that a sweep found to have waiting mail. Mail that drainers skipped is thereby read again within a
 * minute or two.
 */
export function addWaiting(
  account: Account,
  found: { project: number; priority: Priority }[],
  rule: AccountRule,
  moment: Moment,
): { drainAt: number | null } {
  catchUp(account, moment);
  for (const { project, priority } of found) addToRing(account, project, priority, "beginning");
  return { drainAt: callDrainer(account, rule, moment) };
}

/**
 * Whether fresh mail must wait in the ring. It never overtakes older mail of its project. When the account has a rate
 * limit, it does not overtake other projects in the ring either.
 */
function mustWait(account: Account, { project, priority, isPaced }: PermitRequest, rule: AccountRule): boolean {
  if (isPaced) return true;
  if (rule.pace !== null && account.ring.projects.size > 0) return true;
  const mail = account.ring.projects.get(project)?.mail;
  return mail !== undefined && priorities.some((each) => each <= priority && mail.has(each));
}
