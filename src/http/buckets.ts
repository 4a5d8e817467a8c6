import type { Rate } from "../core/bucket";
import type { RateLimits } from "../platform/rate-limits";
import type { Policy } from "./policy";

/** The rate-limit buckets that a request takes a token from: the project's own bucket, and the one of its route. */
export function bucketsFor(
  { bucket }: Policy,
  limits: RateLimits | null,
  project: { sendRatePerSecond: number | null },
): { name: string; rate: Rate }[] {
  if (limits === null) return [];
  const rate = bucket && rateOf(bucket, limits, project);
  return [
    ...(limits.api ? [{ name: "api", rate: limits.api }] : []),
    ...(bucket && rate ? [{ name: bucket, rate }] : []),
  ];
}

/** The operator may set a lower rate for one project. */
function rateOf(
  bucket: NonNullable<Policy["bucket"]>,
  limits: RateLimits,
  project: { sendRatePerSecond: number | null },
): Rate | null {
  const rate = limits[bucket];
  if (rate === null || bucket !== "send" || project.sendRatePerSecond === null) return rate;
  return { ...rate, perSecond: Math.min(rate.perSecond, project.sendRatePerSecond) };
}
