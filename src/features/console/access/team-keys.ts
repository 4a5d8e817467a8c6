import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { Unavailable } from "../../../core/errors";
import { expiringCache } from "../../../core/expiring-cache";
import { hourMs, minuteMs, secondMs } from "../../../core/time";
import type { Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";

const patienceMs = 5 * secondMs;
const maxKeys = 20;
/**
 * How long keys are cached. An hour is short enough, because Cloudflare publishes a new key some weeks before it signs
 * with it.
 */
const cacheMs = hourMs;
/** Cached keys that are older than this are read again when an unknown key has signed an assertion. */
const freshMs = minuteMs;

const Key = z.object({ kid: z.string(), kty: z.literal("RSA"), n: z.string(), e: z.string() });
const KeySet = z.object({ keys: z.array(Key).max(maxKeys) });

interface ReadKeys {
  keys: JSONWebKeySet;
  readAt: number;
}

const teams = expiringCache<ReadKeys>({ ttlMs: cacheMs, maxEntries: 1 });

/** Returns the keys with which Access signs for a team, from memory if they are at most an hour old. */
export async function teamKeys(platform: Platform, team: string): Promise<JSONWebKeySet> {
  const known = teams.get(team, platform.now.getTime());
  return known === undefined ? readKeys(platform, team) : known.keys;
}

/** Reads the keys again, at most once a minute. Returns null within that minute. */
export async function newTeamKeys(platform: Platform, team: string): Promise<JSONWebKeySet | null> {
  const now = platform.now.getTime();
  const known = teams.get(team, now);
  return known !== undefined && now - known.readAt < freshMs ? null : readKeys(platform, team);
}

async function readKeys(platform: Platform, team: string): Promise<JSONWebKeySet> {
  try {
    const answer = await fetch(`${team}/cdn-cgi/access/certs`, {
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
    });
    if (!answer.ok) throw new Error(`The answer is ${answer.status}`);
    const keys = KeySet.parse(await answer.json());
    const now = platform.now.getTime();
    teams.set(team, { keys, readAt: now }, now);
    return keys;
  } catch (error) {
    platform.log("warn", "The keys of Cloudflare Access cannot be read", { team, reason: reasonOf(error) });
    throw new Unavailable("The keys of Cloudflare Access cannot be read at the moment.", {
      retryAfterSeconds: 10,
      suggestion: "Try again in a few seconds, or sign in by mail at /console.",
    });
  }
}
