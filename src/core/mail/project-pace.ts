import { secondMs } from "../time";

/**
 * The pace of projects' campaign mail, apart from the account's: a bucket for each project that has a pace, and who waits
 * for it to fill. It is in memory, as all of the account is. When it is forgotten, a bucket is full again.
 */
export interface ProjectPaces {
  buckets: Map<number, Bucket>;
  /** Projects whose campaign mail waits for its pace, and until when. They are in no ring meanwhile. */
  parked: Map<number, number>;
}

interface Bucket {
  perSecond: number;
  mails: number;
  atMs: number;
}

/** A faster project has several turns a second, as many as it takes for none to be larger than this. */
const mailsPerTurn = 100;

/**
 * The part of a second's mails that a project may make up for when its turn comes late. One second may have this many
 * more mails.
 */
const lateness = 0.25;

/** Sums of fractions of a second end slightly below a whole number. */
const rounding = 1e-6;

export function newProjectPaces(): ProjectPaces {
  return { buckets: new Map(), parked: new Map() };
}

/** Takes mails out of a project's bucket, as many as are in it. */
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

/** Parks a project whose bucket is empty, until its next turn is worth while. Returns whether it did. */
export function parkIfEmpty({ buckets, parked }: ProjectPaces, project: number, now: number): boolean {
  const bucket = buckets.get(project);
  if (!bucket || bucket.mails >= 1 - rounding) return false;
  parked.set(project, now + pauseMs(bucket.perSecond));
  return true;
}

/** The projects whose wait is over. They are not parked any more. */
export function takeRested({ parked }: ProjectPaces, now: number): number[] {
  const rested = [...parked].filter(([, until]) => until <= now).map(([project]) => project);
  for (const project of rested) parked.delete(project);
  return rested;
}

/** When the first of those who wait may go on; null when none waits. */
export function nextRestedAt({ parked }: ProjectPaces): number | null {
  return parked.size === 0 ? null : Math.min(...parked.values());
}

/** A clock that goes back adds and removes nothing. */
function mailsAt(before: Bucket | undefined, perSecond: number, now: number): number {
  const most = Math.max(1, perSecond * (pauseMs(perSecond) / secondMs + lateness));
  if (!before) return most;
  return Math.min(most, before.mails + (Math.max(0, now - before.atMs) / secondMs) * perSecond);
}

function pauseMs(perSecond: number): number {
  return Math.ceil(secondMs / Math.ceil(perSecond / mailsPerTurn));
}
