import { type Id, textOf } from "../ids";

// Who gets which variant, and who is in the canary, follows from the ids of campaign and contact alone: so each run of the
// freeze decides alike, and two campaigns draw differently.

/** A number from 0 to 2^32 - 1 (FNV-1a, 32 bits, with the finalizer of MurmurHash3): evenly spread, not a secret. */
export function draw(campaignId: Id, contactId: Id, purpose: "variant" | "canary"): number {
  const text = `${purpose}${textOf(campaignId)}${textOf(contactId)}`;
  let hash = 0x811c9dc5;
  // A loop over the letters themselves takes four times as long, and a freeze draws for a million people.
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const draws = 2 ** 32;

/** The place of the variant that a draw falls to, by their weights. */
export function variantOf(weights: readonly number[], drawn: number): number {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let left = (drawn / draws) * whole;
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return place;
  }
  return 0;
}

/** The place of the variant that a contact gets. Without variants, nothing is drawn. */
export function variantFor(weights: readonly number[], campaignId: Id, contactId: Id): number {
  return weights.length < 2 ? 0 : variantOf(weights, draw(campaignId, contactId, "variant"));
}

/** A canary is counted in so many stretches of equal length. */
export const stretches = 1_000;

/** The stretch that a draw falls into. */
export function stretchOf(drawn: number): number {
  return Math.floor((drawn / draws) * stretches);
}

/** The recipients of one variant who go first: those of the stretches before one, and the first `more` of that one. */
export interface CanaryShare {
  before: number;
  more: number;
}

/** The first percent of the recipients in the order of their draws, at least one. `counts` says how many are in each stretch. */
export function canaryShare(counts: readonly number[], percent: number): CanaryShare {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let left = Math.min(all, Math.max(1, Math.floor((all * percent) / 100)));
  for (const [stretch, count] of counts.entries()) {
    if (left <= count) return { before: stretch, more: left };
    left -= count;
  }
  return { before: 0, more: 0 };
}
