import { z } from "zod";
import type { Rate } from "../core/bucket";

/** Each bucket's rate; null switches it off. */
export interface RateLimits {
  api: Rate | null;
  track: Rate | null;
  send: Rate | null;
  contacts: Rate | null;
  /** The rate of calls with public keys, for each network address. */
  publicAddress: Rate | null;
}

const perPeriod = z.coerce.number().nonnegative();
/** A burst is a whole number of tokens, because a request takes one. */
const burst = z.coerce.number().int().min(1);

/** The settings of rate limits, for `readConfig`. */
export const rateLimitSettings = {
  RATE_LIMIT_ENABLED: z.enum(["true", "false"]).default("false"),
  RATE_LIMIT_API_PER_MINUTE: perPeriod.default(1000),
  RATE_LIMIT_TRACK_PER_SECOND: perPeriod.default(100),
  RATE_LIMIT_TRACK_BURST: burst.default(200),
  RATE_LIMIT_SEND_PER_SECOND: perPeriod.default(20),
  RATE_LIMIT_SEND_BURST: burst.default(50),
  RATE_LIMIT_CONTACTS_PER_SECOND: perPeriod.default(50),
  RATE_LIMIT_CONTACTS_BURST: burst.default(100),
  RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND: perPeriod.default(0),
};

/** Seconds of calls that a burst allows: a page reports several things at once while it loads. */
const addressBurstSeconds = 5;

/** Returns the rates; null when rate limiting is off. */
export function rateLimitsOf(settings: z.infer<z.ZodObject<typeof rateLimitSettings>>): RateLimits | null {
  const { RATE_LIMIT_ENABLED: isEnabled, RATE_LIMIT_API_PER_MINUTE: perMinute } = settings;
  const { RATE_LIMIT_TRACK_PER_SECOND: trackPerSecond, RATE_LIMIT_TRACK_BURST: trackBurst } = settings;
  const { RATE_LIMIT_SEND_PER_SECOND: sendPerSecond, RATE_LIMIT_SEND_BURST: sendBurst } = settings;
  const { RATE_LIMIT_CONTACTS_PER_SECOND: contactsPerSecond, RATE_LIMIT_CONTACTS_BURST: contactsBurst } = settings;
  const { RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND: perAddress } = settings;
  if (isEnabled === "false") return null;
  return {
    api: rate(perMinute / 60, Math.max(1, Math.floor(perMinute))),
    track: rate(trackPerSecond, trackBurst),
    send: rate(sendPerSecond, sendBurst),
    contacts: rate(contactsPerSecond, contactsBurst),
    publicAddress: rate(perAddress, Math.max(1, Math.ceil(perAddress * addressBurstSeconds))),
  };
}

function rate(perSecond: number, burst: number): Rate | null {
  return perSecond > 0 ? { perSecond, burst } : null;
}
