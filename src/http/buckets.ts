import { addressBucket, isAddressBucket, type Rate } from "../core/bucket";
import { networkOf } from "../core/network";
import type { RateLimits } from "../platform/rate-limits";
import type { Policy } from "./policy";

/**
 * The buckets a request takes a token from: the project's own for everything, and the one its route counts for. Public
 * keys have one for everything of their own: whoever empties it keeps no server out.
 */
export function bucketsFor(
  { bucket, key }: Policy,
  limits: RateLimits | null,
  { project, address }: { project: { sendRatePerSecond: number | null }; address: string | undefined },
): { name: string; rate: Rate }[] {
  if (limits === null) return [];
  const rate = bucket && rateOf(bucket, limits, project);
  return [
    ...(limits.api ? [{ name: key === "public" ? "public:api" : "api", rate: limits.api }] : []),
    ...(bucket && rate ? [{ name: bucket, rate }] : []),
    ...(key === "public" && limits.publicAddress && address !== undefined
      ? [{ name: addressBucket(networkOf(address)), rate: limits.publicAddress }]
      : []),
  ];
}

/** What a caller is told of a bucket: for a public key its own bucket is simply the one for everything. */
export function publicName(name: string): string {
  if (name === "public:api") return "api";
  return isAddressBucket(name) ? "address" : name;
}

/** An operator may hold one project below what all have. */
function rateOf(
  bucket: NonNullable<Policy["bucket"]>,
  limits: RateLimits,
  project: { sendRatePerSecond: number | null },
): Rate | null {
  const rate = limits[bucket];
  if (rate === null || bucket !== "send" || project.sendRatePerSecond === null) return rate;
  return { ...rate, perSecond: Math.min(rate.perSecond, project.sendRatePerSecond) };
}
