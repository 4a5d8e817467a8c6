import { type Id, textOf } from "../ids";

// A draw is the pseudo-random number that decides which variant a contact gets, and whether the contact belongs to the
// canary. It depends only on the ids of campaign and contact, so a repeated draw gives the same result, and two
// campaigns draw independently.

/**
 * Returns a number from 0 to 2^32 - 1 (FNV-1a, 32 bits, with the finalizer of MurmurHash3). Draws are evenly
 * distributed, but not secret.
 */
export function draw(campaignId: Id, contactId: Id, purpose: "variant" | "canary"): number {
  const text = `${purpose}${textOf(campaignId)}${textOf(contactId)}`;
  let hash = 0x811c9dc5;
  // Iterating over code points would take four times as long, and a campaign draws for up to a million contacts.
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const drawRange = 2 ** 32;

/** Returns the index of the variant that a draw selects, by weight. */
export function variantOf(weights: readonly number[], drawn: number): number {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let remaining = (drawn / drawRange) * whole;
  for (const [index, weight] of weights.entries()) {
    remaining -= weight;
    if (remaining < 0) return index;
  }
  return 0;
}

/** Returns the index of the variant that a contact gets. Without variants, nothing is drawn. */
export function variantFor(weights: readonly number[], campaignId: Id, contactId: Id): number {
  return weights.length < 2 ? 0 : variantOf(weights, draw(campaignId, contactId, "variant"));
}

/** The number of buckets, all of the same width, in which the draws for a canary are counted. */
export const drawBuckets = 1_000;

/** Returns the bucket that a draw falls into. */
export function bucketOf(drawn: number): number {
  return Math.floor((drawn / drawRange) * drawBuckets);
}

/**
 * The recipients of one variant that belong to the canary: all in buckets below `before`, and the first `more` in the
 * bucket `before`.
 */
export interface CanaryShare {
  before: number;
  more: number;
}

/**
 * Returns the canary of a variant: the first `percent` percent of its recipients in the order of their draws, but at
 * least one recipient. `counts` contains the number of recipients in each bucket.
 */
export function canaryShare(counts: readonly number[], percent: number): CanaryShare {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let remaining = Math.min(all, Math.max(1, Math.floor((all * percent) / 100)));
  for (const [bucket, count] of counts.entries()) {
    if (remaining <= count) return { before: bucket, more: remaining };
    remaining -= count;
  }
  return { before: 0, more: 0 };
}
