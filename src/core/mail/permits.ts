import { type Account, type AccountRule, lanes, type Moment, type Permit, permitMs } from "./account";
import { afterCalls, nextCallAt, probing, type Verdict } from "./breaker";
import type { Lane } from "./message";
import { callsNow, refilled, takeCalls } from "./pace";
import { laneOf, type Priority } from "./priority";

/** The calls that a consumer may make. When there are none, the mail waits in the ring. */
export interface Grant {
  calls: number;
  callsAtOnce: number;
  mails: number;
  /** Whether the account is down and another one should be asked. */
  isElsewhere?: true;
}

export const none: Grant = { calls: 0, callsAtOnce: 0, mails: 0 };
export const elsewhere: Grant = { ...none, isElsewhere: true };

/**
 * The maximum number of calls in flight in one lane, of all consumers together. Each call in flight may leave mail
 * UNKNOWN when the provider fails.
 */
const maxCallsInFlight = 100;
export const maxMailsInFlight = 2_000;

/**
 * The maximum number of concurrent calls of one consumer. A Worker may wait for the headers of six responses at once,
 * and the database needs one of the six.
 */
export const maxCallsAtOnce = 5;

/** How many calls each of the concurrent slots makes within a round, one after another. */
const callsPerSlot = 5;

/**
 * Returns how many emails are handed over together when each has a call of its own. If the consumer dies, the outcome
 * of this many emails is uncertain.
 */
export function mailsPerRound(callsAtOnce: number): number {
  return Math.ceil(callsAtOnce * callsPerSlot);
}

/**
 * The maximum number of rounds in one invocation. A round makes about twenty statements in D1. An invocation may make
 * 1,000, according to the stricter of two pages of Cloudflare's documentation.
 */
export const maxRoundsPerInvocation = 40;

/**
 * A turn has at most `mailsPerTurn` emails, or as many as `fullCallsPerTurn` full calls carry if that is more. Work
 * that is done once per turn, such as reading, costs less per email in a larger turn.
 */
const mailsPerTurn = 100;
const fullCallsPerTurn = 3;
/** A turn takes at most the account's calls per second divided by this number. */
const turnsPerSecond = 10;

/**
 * Grants what the lane accepts now, up to one turn. Only a drainer, a consumer of waiting mail, probes a lane after a
 * pause. It can probe with an email that is sent alone, whereas a call with fresh mail may contain many emails, and
 * could only be repeated as a whole.
 */
export function grantPermit(
  account: Account,
  request: { permitId: string; project: number; priority: Priority; mails: number; sharers?: number },
  rule: AccountRule,
  moment: Moment,
  { isDrainer = false, isSuspect = false } = {},
): Grant {
  const { project, priority, sharers = 1 } = request;
  const lane = laneOf(priority);
  const free = freeCalls(account, lane, rule, moment.now);
  if (free.isProbe && !isDrainer) return none;
  const calls = Math.min(callsFor(request.mails, rule), callsPerTurn(rule), free.calls);
  if (calls < 1) return none;
  const callsAtOnce = Math.min(calls, maxCallsAtOnce / sharers, free.callsAtOnce);
  const mails = free.isProbe ? 1 : Math.min(request.mails, rule.pace === null ? calls : calls * rule.mailsPerCall);
  const mailsAtOnce = Math.min(mails, Math.max(mailsPerRound(callsAtOnce), rule.mailsPerCall));
  const until = moment.now + permitMs;
  account.permits.set(request.permitId, {
    ...{ project, priority, lane, until, isDrainer, isSuspect, calls, callsAtOnce, mailsAtOnce, isProbe: free.isProbe },
    share: null,
  });
  if (account.pace !== null && rule.pace !== null) account.pace = takeCalls(account.pace, lane, calls);
  if (free.isProbe) account.lanes[lane] = probing(account.lanes[lane], until);
  return { calls, callsAtOnce: Math.max(1, Math.floor(callsAtOnce)), mails };
}

/** Returns how many calls the emails may use. Without a rate limit, each email may have a call of its own. */
function callsFor(mails: number, { pace, mailsPerCall }: AccountRule): number {
  return pace === null ? mails : Math.ceil(mails / mailsPerCall);
}

export function callsPerTurn({ pace, mailsPerCall }: AccountRule): number {
  const mails = Math.max(mailsPerTurn, fullCallsPerTurn * mailsPerCall);
  if (pace === null) return mails;
  return Math.max(1, Math.min(Math.floor(mails / mailsPerCall), Math.floor(pace.perSecond / turnsPerSecond)));
}

/** Returns the calls that a lane accepts now, limited by its pauses, the calls in flight and the account's pace. */
function freeCalls(account: Account, lane: Lane, rule: AccountRule, now: number) {
  const { at, isProbe } = nextCallAt(account.lanes[lane]);
  const inFlight = [...account.permits.values()].filter((permit) => permit.lane === lane);
  const callsAtOnce = maxCallsInFlight - inFlight.reduce((sum, permit) => sum + permit.callsAtOnce, 0);
  const mails = maxMailsInFlight - inFlight.reduce((sum, { mailsAtOnce }) => sum + mailsAtOnce, 0);
  if (at > now || callsAtOnce < 1 || mails < 1) return { calls: 0, callsAtOnce: 0, isProbe };
  if (rule.pace !== null) account.pace = refilled(account.pace, rule.pace, now);
  const paced = account.pace === null || rule.pace === null ? Number.POSITIVE_INFINITY : callsNow(account.pace, lane);
  return { calls: Math.min(paced, isProbe ? 1 : mails), callsAtOnce, isProbe };
}

/** Returns the lanes that accept a call now. */
export function openLanes(account: Account, rule: AccountRule, now: number): Lane[] {
  return lanes.filter((lane) => freeCalls(account, lane, rule, now).calls > 0);
}

export function judge(account: Account, { lane, isProbe }: Permit, verdict: Verdict, { now, random }: Moment): void {
  account.lanes[lane] = afterCalls(account.lanes[lane], verdict, { isProbe, now, random });
}

export function returnCalls(account: Account, permit: Permit, calls: number, rule: AccountRule): void {
  const { lane, project, isDrainer } = permit;
  if (account.pace !== null) account.pace = takeCalls(account.pace, lane, -calls);
  const waiting = account.ring.projects.get(project);
  // Limited to one turn: otherwise a project whose many drainers each give some calls back would keep its turn.
  if (waiting && isDrainer) waiting.deficit = Math.min(waiting.deficit + calls, callsPerTurn(rule));
}
