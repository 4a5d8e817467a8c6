import { secondMs } from "../time";
import { ofCampaigns, type Priority } from "./priority";

/**
 * The projects' own paces for campaign mail, in addition to the account's: a bucket for each project with a pace, and
 * the projects that wait for their buckets to fill. Like the rest of the account, this is in memory. When it is lost,
 * the buckets are full again.
 */
export interface ProjectPaces {
  buckets: Map<number, Bucket>;
  /**
   * The projects whose campaign mail waits for their pace, each with the end of its wait. Until then, the mail is not
   * in the ring.
   */
  parked: Map<number, number>;
}

interface Bucket {
  perSecond: number;
  mails: number;
  atMs: number;
}

/**
 * Returns how many emails of a priority a project sends per second. Null means as many as the provider accepts. Only
 * campaign mail has such a limit: the project's `sendRatePerSecond`. A project with a test clock has no limit, because
 * its clock stands still while mail is sent.
 */
export function paceOf({ project }: PacedProject, priority: Priority): number | null {
  return priority === ofCampaigns && !project.testClock ? project.sendRatePerSecond : null;
}

interface PacedProject {
  project: { sendRatePerSecond: number | null; testClock: boolean };
}

/** The number of emails in one turn. A faster project has several turns per second instead of larger ones. */
const mailsPerTurn = 100;

/**
 * How much of one second's mails a project may catch up on when its turn comes late. A single second may thus exceed
 * the pace by this share.
 */
const lateness = 0.25;

/** The tolerance for sums of fractions of a second, which may end slightly below a whole number. */
const rounding = 1e-6;

export function newProjectPaces(): ProjectPaces {
  return { buckets: new Map(), parked: new Map() };
}

/** Takes emails from a project's bucket, at most as many as it contains. */
export function takeMails(
  { buckets }: ProjectPaces,
  { project, perSecond, mails }: { project: number; perSecond: number; mails: number },
  now: number,
): number {
  const inBucket = mailsAt(buckets.get(project), perSecond, now);
  const taken = Math.min(mails, Math.floor(inBucket + rounding));
  buckets.set(project, { perSecond, mails: inBucket - taken, atMs: now });
  return taken;
}

export function putMailsBack({ buckets }: ProjectPaces, project: number, mails: number): void {
  const bucket = buckets.get(project);
  if (bucket) bucket.mails += mails;
}

/** Parks a project whose bucket is empty until its next turn is worthwhile. Returns whether the project was parked. */
export function parkIfEmpty({ buckets, parked }: ProjectPaces, project: number, now: number): boolean {
  const bucket = buckets.get(project);
  if (!bucket || bucket.mails >= 1 - rounding) return false;
  parked.set(project, now + pauseMs(bucket.perSecond));
  return true;
}

/** Removes the projects whose wait is over from `parked`, and returns them. */
export function takeRested({ parked }: ProjectPaces, now: number): number[] {
  const rested = [...parked].filter(([, until]) => until <= now).map(([project]) => project);
  for (const project of rested) parked.delete(project);
  return rested;
}

/** Returns when the first waiting project may continue; null when none waits. */
export function nextRestedAt({ parked }: ProjectPaces): number | null {
  return parked.size === 0 ? null : Math.min(...parked.values());
}

/** Returns how many mails a bucket contains now. A clock that goes back neither adds nor removes emails. */
function mailsAt(before: Bucket | undefined, perSecond: number, now: number): number {
  const most = Math.max(1, perSecond * (pauseMs(perSecond) / secondMs + lateness));
  if (!before) return most;
  return Math.min(most, before.mails + (Math.max(0, now - before.atMs) / secondMs) * perSecond);
}

function pauseMs(perSecond: number): number {
  return Math.ceil(secondMs / Math.ceil(perSecond / mailsPerTurn));
}
