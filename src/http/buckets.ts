import { addressBucket, isAddressBucket, isPersonBucket, personBucket, type Rate } from "../core/bucket";
import type { Id } from "../core/ids";
import type { CallerKind } from "../core/keys";
import { networkOf } from "../core/network";
import type { RateLimits } from "../platform/rate-limits";
import type { RouteBucket } from "../platform/route-buckets";
import type { Policy } from "./policy";

interface Caller {
  project: { sendRatePerSecond: number | null };
  caller: CallerKind;
  address: string | undefined;
  /** The person whose session makes the request. */
  person: Id | null;
}

/** The rate of all people of a project together is this many times the rate of one person. */
const peopleAtOnce = 10;

/**
 * Returns the buckets from which a request takes a token: one for all requests of the project, and one for its route.
 * Public keys share a separate overall bucket, and so do people, so that emptying one of these does not lock out
 * servers. Each person also has an overall bucket, so that someone with many open tabs of the console does not lock out
 * colleagues.
 */
export function bucketsFor(
  { bucket }: Policy,
  limits: RateLimits | null,
  { project, caller, address, person }: Caller,
): { name: string; rate: Rate }[] {
  if (limits === null) return [];
  const rate = bucket && rateOf(bucket, limits, project);
  return [
    ...(limits.api ? overallBuckets(limits.api, caller, person) : []),
    ...(bucket && rate ? [{ name: bucket, rate }] : []),
    ...(caller === "public" && limits.publicAddress && address !== undefined
      ? [{ name: addressBucket(networkOf(address)), rate: limits.publicAddress }]
      : []),
  ];
}

function overallBuckets(rate: Rate, caller: CallerKind, person: Id | null): { name: string; rate: Rate }[] {
  const name = caller === "secret" ? "api" : `${caller}:api`;
  if (person === null) return [{ name, rate }];
  const together = { burst: rate.burst * peopleAtOnce, perSecond: rate.perSecond * peopleAtOnce };
  return [
    { name: personBucket(person), rate },
    { name, rate: together },
  ];
}

/** Returns the name of a bucket as callers see it. Each overall bucket is simply "api". */
export function publicName(name: string): string {
  if (isPersonBucket(name) || (name.endsWith(":api") && !isAddressBucket(name))) return "api";
  return isAddressBucket(name) ? "address" : name;
}

/** Returns the rate of a route's bucket. The operator can set a lower one for a single project. */
function rateOf(bucket: RouteBucket, limits: RateLimits, project: { sendRatePerSecond: number | null }): Rate | null {
  const rate = limits[bucket];
  if (rate === null || bucket !== "send" || project.sendRatePerSecond === null) return rate;
  return { ...rate, perSecond: Math.min(rate.perSecond, project.sendRatePerSecond) };
}
