import { minuteMs, secondMs } from "../time";
import { afterCalls, type LaneState, nextCallAt, openLane, probing, type Verdict } from "./breaker";
import type { Lane } from "./message";
import { callsAt, callsNow, type PaceRule, type PaceState, refilled, takeCalls } from "./pace";
import { laneOf, ofCampaigns, type Priority, priorities } from "./priority";
import {
  newProjectPaces,
  nextRestedAt,
  type ProjectPaces,
  parkIfEmpty,
  putMailsBack,
  takeMails,
  takeRested,
} from "./project-pace";
import { firstOf, join, leave, moveToEnd, newRing, type Place, type Ring, readTo, stopReading } from "./ring";

/**
 * The provider's account, which all projects share, and whose turn it is.
 *
 * Mail that waits stays in its rows, and costs nothing while it does. Here is only who waits: projects in a ring, each with
 * the priorities of its mail. Whoever wants to call the provider needs a permit. Fresh mail asks for one, and joins the ring
 * when it gets none. A drainer asks for the next turn instead of naming a project.
 *
 * All of this is in memory. When it is forgotten, a sweep says again who waits; only the lanes' pauses are stored.
 */
export interface Account {
  pace: PaceState | null;
  lanes: Record<Lane, LaneState>;
  permits: Map<string, Permit>;
  ring: Ring;
  /** Campaign mail also keeps to the pace of its project. */
  paces: ProjectPaces;
  /** When a drainer has been asked to come. */
  drainerAt: number | null;
}

export interface AccountRule {
  /** Null when the account has no limit per second. */
  pace: PaceRule | null;
  /** How many mails the provider takes in one call. */
  mailsPerCall: number;
}

interface Permit {
  project: number;
  priority: Priority;
  lane: Lane;
  /** Calls that it may still make, one after another or `callsAtOnce` together. */
  calls: number;
  callsAtOnce: number;
  mailsAtOnce: number;
  until: number;
  isProbe: boolean;
  isDrainer: boolean;
  /** It takes each mail alone, because one before it died. */
  isSuspect: boolean;
  /** The mails that the project's own pace allows it and that are not read yet; null without such a pace. */
  share: number | null;
}

/** What a consumer may do. With no calls, the mail waits in the ring. */
export interface Grant {
  calls: number;
  callsAtOnce: number;
  mails: number;
}

export interface Turn extends Grant {
  project: number;
  priority: Priority;
  after: Place | null;
  /** A consumer may have died of this project's mail: each is taken alone. */
  isSuspect: boolean;
}

/** `drainAt`: the caller must see to it that a drainer comes then; null when somebody else does, or none is needed. */
export type WithDrainer<T> = T & { drainAt: number | null };

export type NextTurn =
  | WithDrainer<{ kind: "turn"; turn: Turn }>
  /** The caller comes back then, or sends a message that does. */
  | { kind: "wait"; until: number }
  | { kind: "nothing to do" };

const lanes: readonly Lane[] = ["transactional", "campaign"];

/** Longer than a round of provider calls may take. A permit of which nobody has heard for so long is lost. */
export const permitMs = 2 * minuteMs;

/** Of all consumers together, in one lane. What is in flight when the provider goes away may become UNKNOWN. */
const maxCallsInFlight = 100;
const maxMailsInFlight = 2_000;

/** A Worker waits for the headers of six responses at once. The database needs one of them. */
export const maxCallsAtOnce = 5;

/** An invocation has 1,000 statements of D1 by the stricter of two pages of its documentation. A round is some twenty. */
export const maxRoundsPerInvocation = 40;

/** The mails of one turn, unless these calls take more. What several calls share costs each of them less: reading, say. */
const mailsPerTurn = 100;
const fullCallsPerTurn = 3;
/** The part of a second that a turn may take of the account's pace. */
const turnsPerSecond = 10;

/** A turn of a healthy provider takes less. */
const backSoonMs = 2 * secondMs;

/** A drainer that is so late does not come any more. */
const drainerGraceMs = 30 * secondMs;

export function newAccount(lanes: Partial<Record<Lane, LaneState>> = {}): Account {
  return {
    pace: null,
    lanes: { transactional: openLane, campaign: openLane, ...lanes },
    permits: new Map(),
    ring: newRing(),
    paces: newProjectPaces(),
    drainerAt: null,
  };
}

/** When it is, and chance. */
export interface Moment {
  now: number;
  /** Between 0 and 1. */
  random: number;
}

/** A request for fresh mail of one project. `permitId` is new. What is not granted waits in the ring from now on. */
export interface Wish {
  permitId: string;
  project: number;
  priority: Priority;
  mails: number;
  /** The project has a pace of its own for this mail: it waits for a drainer, which keeps to that. */
  isPaced?: boolean;
}

export function askFor(account: Account, wish: Wish, rule: AccountRule, moment: Moment): WithDrainer<Grant> {
  catchUp(account, moment);
  const grant = mustWait(account, wish, rule) ? none : grantPermit(account, wish, rule, moment);
  if (grant.mails < wish.mails) addToRing(account, wish.project, wish.priority, "place");
  return { ...grant, drainAt: callDrainer(account, rule, moment) };
}

/** A drainer's request for a turn. `permitId` is new. */
export interface Drainer {
  permitId: string;
  /** The turn before, or null: then the drainer was asked to come now. */
  done: Done | null;
}

/** The next turn among those who wait. */
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
  if (waiting.deficit <= 0) waiting.deficit += limit;
  const mails = waiting.deficit * (rule.pace === null ? 1 : rule.mailsPerCall);
  const grant = grantPermit(account, { permitId, project, priority, mails }, rule, moment, {
    isDrainer: true,
    isSuspect,
  });
  waiting.deficit -= grant.calls;
  if (mail) mail.reader = permitId;
  // Whoever has used up its turn goes to the end of the ring.
  if (waiting.deficit <= 0) moveToEnd(account.ring, waiting);
  const turn = { ...grant, project, priority, after: mail?.place ?? null, isSuspect };
  return { kind: "turn", turn, drainAt: callDrainer(account, rule, moment) };
}

/**
 * A drainer asks how many mails it may read, because the project of its turn has a pace of its own. With none, its turn is
 * over, and the project comes back by itself.
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
 * A drainer has read so many mails, up to `place`; null when there is no more of them. Another one may read on from there,
 * unless the project's own pace makes it wait.
 */
export function readUpTo(
  account: Account,
  permitId: string,
  { place, mails }: { place: Place | null; mails: number },
  { now }: Moment,
): void {
  const permit = account.permits.get(permitId);
  if (!permit) return;
  const { project, priority, share } = permit;
  if (share !== null) {
    putMailsBack(account.paces, project, share - mails);
    permit.share = null;
    if (place !== null && parkIfEmpty(account.paces, project, now)) leave(account.ring, project, priority);
  }
  readTo(account.ring, project, priority, permitId, place);
}

/** Between two rounds of one permit. Whether the next one may be made; if not, the mail goes back to the ring. */
export function mayGoOn(account: Account, permitId: string, verdict: Verdict, calls: number, moment: Moment): boolean {
  catchUp(account, moment);
  const permit = account.permits.get(permitId);
  if (!permit) return false;
  judge(account, permit, verdict, moment);
  permit.calls -= calls;
  permit.until = moment.now + permitMs;
  // The probe was one call. Whoever made it asks anew.
  const wasProbe = permit.isProbe;
  permit.isProbe = false;
  const { at, isProbe } = nextCallAt(account.lanes[permit.lane]);
  return !wasProbe && !isProbe && at <= moment.now && permit.calls > 0;
}

/** The end of a permit. */
export interface Done {
  permitId: string;
  /** That of the last round. */
  verdict: Verdict;
  /** The calls of the last round. */
  calls: number;
  /** Some of its mail was not handed over, and still waits. */
  hasMore: boolean;
  /** The rest of the project's mail is left alone for now: it is gone, or it could not be worked on. */
  isOver?: boolean;
}

export function giveBack(account: Account, done: Done, rule: AccountRule, moment: Moment): { drainAt: number | null } {
  endPermit(account, done, rule, moment);
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

/** Says who waits: a sweep found their mail. Whatever was passed over is so read again within a minute or two. */
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

const none: Grant = { calls: 0, callsAtOnce: 0, mails: 0 };

/** Fresh mail never passes older mail of its project, and no project passes the ring while calls are scarce. */
function mustWait(account: Account, { project, priority, isPaced }: Wish, rule: AccountRule): boolean {
  if (isPaced) return true;
  if (rule.pace !== null && account.ring.projects.size > 0) return true;
  const mail = account.ring.projects.get(project)?.mail;
  return mail !== undefined && priorities.some((each) => each <= priority && mail.has(each));
}

/** Grants what the lane takes now, up to one turn. */
function grantPermit(
  account: Account,
  wish: Wish,
  rule: AccountRule,
  moment: Moment,
  { isDrainer = false, isSuspect = false } = {},
): Grant {
  const { project, priority } = wish;
  const lane = laneOf(priority);
  const free = freeCalls(account, lane, rule, moment.now);
  const calls = Math.min(callsFor(wish.mails, rule), callsPerTurn(rule), free.calls);
  if (calls < 1) return none;
  const callsAtOnce = Math.min(calls, maxCallsAtOnce, free.callsAtOnce);
  const mails = free.isProbe ? 1 : Math.min(wish.mails, rule.pace === null ? calls : calls * rule.mailsPerCall);
  const mailsAtOnce = Math.min(mails, Math.max(callsAtOnce, rule.mailsPerCall));
  const until = moment.now + permitMs;
  account.permits.set(wish.permitId, {
    ...{ project, priority, lane, until, isDrainer, isSuspect, calls, callsAtOnce, mailsAtOnce, isProbe: free.isProbe },
    share: null,
  });
  if (account.pace !== null && rule.pace !== null) account.pace = takeCalls(account.pace, lane, calls);
  if (free.isProbe) account.lanes[lane] = probing(account.lanes[lane], until);
  return { calls, callsAtOnce, mails };
}

/** Without a pace, each mail may have a call of its own. */
function callsFor(mails: number, { pace, mailsPerCall }: AccountRule): number {
  return pace === null ? mails : Math.ceil(mails / mailsPerCall);
}

function callsPerTurn({ pace, mailsPerCall }: AccountRule): number {
  const mails = Math.max(mailsPerTurn, fullCallsPerTurn * mailsPerCall);
  if (pace === null) return mails;
  return Math.max(1, Math.min(Math.floor(mails / mailsPerCall), Math.floor(pace.perSecond / turnsPerSecond)));
}

/** What a lane takes now: by its pauses, by what is in flight, and by the account's pace. */
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

/** The lanes that take a call now. */
function openLanes(account: Account, rule: AccountRule, now: number): Lane[] {
  return lanes.filter((lane) => freeCalls(account, lane, rule, now).calls > 0);
}

/** When a drainer should come, if none was asked to come by then; remembers that the caller asks one. */
function callDrainer(account: Account, rule: AccountRule, { now }: Moment): number | null {
  const at = nextWorkAt(account, rule, now);
  if (at === null) return null;
  const { drainerAt } = account;
  if (drainerAt !== null && drainerAt <= at && now < drainerAt + drainerGraceMs) return null;
  if (at > now && [...account.permits.values()].some((permit) => isBackSoon(permit, now))) return null;
  account.drainerAt = at;
  return at;
}

/** A drainer that was heard of just now asks for its next turn by itself. */
function isBackSoon({ isDrainer, until }: Permit, now: number): boolean {
  return isDrainer && until - permitMs > now - backSoonMs;
}

/** When the next turn can be taken; null when none waits for time to pass alone. */
function nextWorkAt(account: Account, rule: AccountRule, now: number): number | null {
  if (firstOf(account.ring, openLanes(account, rule, now)) !== null) return now;
  const times = lanes
    .filter((lane) => firstOf(account.ring, [lane]) !== null)
    .map((lane) => laneOpensAt(account, lane, rule))
    .filter((at) => at > now);
  const restedAt = nextRestedAt(account.paces);
  if (restedAt !== null) times.push(Math.max(restedAt, laneOpensAt(account, laneOf(ofCampaigns), rule)));
  return times.length > 0 ? Math.min(...times) : null;
}

function laneOpensAt({ lanes, pace }: Account, lane: Lane, rule: AccountRule): number {
  const { at } = nextCallAt(lanes[lane]);
  return pace === null || rule.pace === null ? at : Math.max(at, callsAt(pace, lane, callsPerTurn(rule), rule.pace));
}

function judge(account: Account, { lane, isProbe }: Permit, verdict: Verdict, { now, random }: Moment): void {
  account.lanes[lane] = afterCalls(account.lanes[lane], verdict, { isProbe, now, random });
}

function returnCalls(account: Account, permit: Permit, calls: number, rule: AccountRule): void {
  const { lane, project, isDrainer } = permit;
  if (account.pace !== null) account.pace = takeCalls(account.pace, lane, -calls);
  const waiting = account.ring.projects.get(project);
  // Never more than one turn, or a project whose many drainers each give some back would keep the turn.
  if (waiting && isDrainer) waiting.deficit = Math.min(waiting.deficit + calls, callsPerTurn(rule));
}

/** What has happened by itself since the last call. */
function catchUp(account: Account, moment: Moment): void {
  for (const project of takeRested(account.paces, moment.now)) join(account.ring, project, ofCampaigns, "beginning");
  endLostPermits(account, moment);
}

/** Campaign mail that waits for the pace of its project comes to the ring by itself. */
function addToRing(account: Account, project: number, priority: Priority, from: "place" | "beginning"): void {
  if (priority === ofCampaigns && account.paces.parked.has(project)) return;
  join(account.ring, project, priority, from);
}

/** Whoever held such a permit is dead. Its mail may be why, so the project is suspect; a probe has failed. */
function endLostPermits(account: Account, moment: Moment): void {
  for (const [id, permit] of account.permits) {
    if (permit.until > moment.now) continue;
    account.permits.delete(id);
    judge(account, permit, { kind: permit.isProbe ? "failed" : "unused", calls: 1 }, moment);
    if (!permit.isDrainer) continue;
    addToRing(account, permit.project, permit.priority, "beginning");
    const waiting = account.ring.projects.get(permit.project);
    if (waiting) waiting.isSuspect = true;
  }
}
