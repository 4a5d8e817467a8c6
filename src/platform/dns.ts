import { type Absence, type DnsAnswer, type RecordType, readDnsAnswer } from "../core/dns";
import { Unavailable } from "../core/errors";
import { expiringCache } from "../core/expiring-cache";
import { secondMs } from "../core/time";
import { type Log, reasonOf } from "./log";

/** DNS lookups. They throw Unavailable when no resolver answers. */
export interface Dns {
  /** Looks up records, and caches them for their time to live. The absence of a record is also a result. */
  lookup(name: string, type: RecordType): Promise<string[] | Absence>;
  /**
   * Looks up records without the cache, for callers that have just changed one. Throws Unavailable when name servers
   * fail, because a failure does not show that a record is gone.
   */
  lookupUncached(name: string, type: RecordType): Promise<string[]>;
}

const patienceMs = 2 * secondMs;
const retryAfterSeconds = 30;
/** The longest time that an answer is cached, even if the zone allows more. */
const maxTtlMs = 3_600 * secondMs;

const answers = expiringCache<string[] | Absence>({ ttlMs: maxTtlMs, maxEntries: 5_000 });

/** Opens DNS over HTTPS in its JSON form. Asks the resolvers in order, until one answers. */
export function openDns(resolvers: string[], log: Log): Dns {
  async function askAll(name: string, type: RecordType): Promise<string[] | Absence> {
    let failures = 0;
    for (const resolver of resolvers) {
      const answer = await ask(resolver, name, type, log);
      if (!answer) continue;
      // Perhaps only this resolver fails, so the next one is asked.
      if (answer.found === "server failure" && ++failures < resolvers.length) continue;
      const ttlMs = Math.min(answer.ttlSeconds * secondMs, maxTtlMs);
      answers.set(keyOf(resolvers, name, type), answer.found, Date.now(), ttlMs);
      return answer.found;
    }
    throw resolversSilent(name);
  }
  return {
    lookup: async (name, type) => answers.get(keyOf(resolvers, name, type), Date.now()) ?? (await askAll(name, type)),
    lookupUncached: async (name, type) => {
      const found = await askAll(name, type);
      if (found === "server failure") throw resolversSilent(name);
      return found === "no such name" ? [] : found;
    },
  };
}

export function resolversSilent(name: string): Unavailable {
  return new Unavailable(`The DNS records of ${name} could not be looked up.`, {
    retryAfterSeconds,
    suggestion: "The DNS resolver gave no usable answer. Try again in a minute.",
  });
}

function keyOf(resolvers: string[], name: string, type: RecordType): string {
  return `${type} ${name} ${resolvers.join(" ")}`;
}

/** Asks one resolver. Returns null when it does not answer, refuses, or does not return DNS. */
async function ask(resolver: string, name: string, type: RecordType, log: Log): Promise<DnsAnswer | null> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/dns-json" },
      signal: AbortSignal.timeout(patienceMs),
    });
    const answer = response.ok ? readDnsAnswer(await response.json(), type) : null;
    if (!answer || answer.found === "server failure") {
      log("warn", "A DNS resolver gave no usable answer", { resolver: url.host, type, status: response.status });
    }
    return answer;
  } catch (error) {
    log("warn", "A DNS resolver does not answer", { resolver: url.host, type, reason: reasonOf(error) });
    return null;
  }
}
