import { z } from "zod";
import type { Rate } from "../core/bucket";
import { type RouteBucket, routeBuckets } from "./route-buckets";

/**
 * The rate of each bucket; null when the bucket has no limit. `api` is for all requests of a project, and
 * `publicAddress` for calls with public keys from one network address.
 */
export type RateLimits = Record<"api" | "publicAddress" | RouteBucket, Rate | null>;

const perPeriod = z.coerce.number().nonnegative();
/** Must be at least one whole token, because a request takes one. */
const burst = z.coerce.number().int().min(1);

type RouteSetting = `RATE_LIMIT_${Uppercase<RouteBucket>}_${"PER_SECOND" | "BURST"}`;

// The cast is safe, because an object literal has exactly the keys of its type.
const buckets = Object.keys(routeBuckets) as RouteBucket[];

// The cast is safe, because both kinds of settings have the same type, and each bucket has both.
const routeSettings = Object.fromEntries(
  buckets.flatMap((bucket) => [
    [settingOf(bucket, "PER_SECOND"), perPeriod.default(routeBuckets[bucket].perSecond)],
    [settingOf(bucket, "BURST"), burst.default(routeBuckets[bucket].burst)],
  ]),
) as Record<RouteSetting, z.ZodDefault<typeof perPeriod>>;

/** The settings of rate limits, for `readConfig`. */
export const rateLimitSettings = {
  RATE_LIMIT_ENABLED: z.enum(["true", "false"]).default("false"),
  RATE_LIMIT_API_PER_MINUTE: perPeriod.default(1000),
  ...routeSettings,
  RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND: perPeriod.default(0),
};

/**
 * How many seconds' worth of calls one network address may make at once. A page reports several things at once while it
 * loads.
 */
const addressBurstSeconds = 5;

/** Returns the rates; null when rate limiting is off. */
export function rateLimitsOf(settings: z.infer<z.ZodObject<typeof rateLimitSettings>>): RateLimits | null {
  const { RATE_LIMIT_ENABLED: isEnabled, RATE_LIMIT_API_PER_MINUTE: perMinute } = settings;
  const { RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND: perAddress } = settings;
  if (isEnabled === "false") return null;
  const ofRoutes = buckets.map((bucket) => [
    bucket,
    rate(settings[settingOf(bucket, "PER_SECOND")], settings[settingOf(bucket, "BURST")]),
  ]);
  return {
    // The cast is safe, because `ofRoutes` contains every bucket of routes.
    ...(Object.fromEntries(ofRoutes) as Record<RouteBucket, Rate | null>),
    api: rate(perMinute / 60, Math.max(1, Math.floor(perMinute))),
    publicAddress: rate(perAddress, Math.max(1, Math.ceil(perAddress * addressBurstSeconds))),
  };
}

function settingOf<Part extends "PER_SECOND" | "BURST">(bucket: RouteBucket, part: Part) {
  // `toUpperCase` returns `string`; the cast restores the literal type.
  return `RATE_LIMIT_${bucket.toUpperCase() as Uppercase<RouteBucket>}_${part}` as const;
}

function rate(perSecond: number, burst: number): Rate | null {
  return perSecond > 0 ? { perSecond, burst } : null;
}
