import { addressBucket, isAddressBucket, type Rate } from "../core/bucket";
import { networkOf } from "../core/network";
import type { RateLimits } from "../platform/rate-limits";
import type { RouteBucket } from "../platform/route-buckets";
import type { Policy } from "./policy";

/**
 * The buckets from which a request takes a token: one for all requests of the project, and the one of its route. Public
 * keys have an overall bucket of their own, so that emptying it locks no server out.
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

/** The name of a bucket for callers. A public key's own overall bucket is simply "api". */
export function publicName(name: string): string {
  if (name === "public:api") return "api";
  return isAddressBucket(name) ? "address" : name;
}

/** The operator may limit one project to less than the others. */
function rateOf(bucket: RouteBucket, limits: RateLimits, project: { sendRatePerSecond: number | null }): Rate | null {
  const rate = limits[bucket];
  if (rate === null || bucket !== "send" || project.sendRatePerSecond === null) return rate;
  return { ...rate, perSecond: Math.min(rate.perSecond, project.sendRatePerSecond) };
}
