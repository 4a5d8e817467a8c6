import { isJsonObject } from "./json";

/** The record types that we look up, with their numbers in DNS. */
const typeNumbers = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const;
const startOfAuthority = 6;

export type RecordType = keyof typeof typeNumbers;

/**
 * Why a lookup has no result: the name does not exist, or the servers of its zone fail because they do not answer or
 * their DNSSEC signatures are invalid. A name that exists but has no records of the requested type is not absent: its
 * result is an empty list.
 */
export type Absence = "no such name" | "server failure";

export interface DnsAnswer {
  /** The name's records of the requested type. Host names are lower-case, without the trailing dot. */
  found: string[] | Absence;
  /** How long the answer may be cached; 0 when the answer does not say. */
  ttlSeconds: number;
}

// Codes of RFC 1035 and RFC 2308. Every other code is about the resolver, not about the name.
const noError = 0;
const serverFailure = 2;
const noSuchName = 3;

/**
 * Reads an answer in the JSON form of DNS over HTTPS (`application/dns-json`). Returns null when the body is not such
 * an answer, or says that the resolver itself failed.
 */
export function readDnsAnswer(body: unknown, type: RecordType): DnsAnswer | null {
  if (!isJsonObject(body)) return null;
  if (body.Status === serverFailure) return { found: "server failure", ttlSeconds: 0 };
  if (body.Status !== noError && body.Status !== noSuchName) return null;
  const answer = recordsOf(body.Answer);
  // An answer through a CNAME contains the CNAME too: only records of the requested type count.
  const records = answer.filter((record) => record.type === typeNumbers[type]);
  if (records.length > 0) {
    return { found: records.map(({ data }) => readValue(type, data)), ttlSeconds: shortestTtl(records) };
  }
  const authority = recordsOf(body.Authority).filter((record) => record.type === startOfAuthority);
  return {
    // The status code is about the end of a chain of CNAMEs (RFC 6604). A name with a CNAME exists, even if the chain
    // leads to a name that does not.
    found: body.Status === noSuchName && answer.length === 0 ? "no such name" : [],
    ttlSeconds: authority.length > 0 ? shortestTtl(authority.map(negativeTtl)) : 0,
  };
}

interface ReadRecord {
  type: unknown;
  ttl: number;
  data: string;
}

function recordsOf(section: unknown): ReadRecord[] {
  if (!Array.isArray(section)) return [];
  return section.filter(isJsonObject).map(({ type, TTL, data }) => ({
    type,
    ttl: typeof TTL === "number" && TTL > 0 ? TTL : 0,
    data: typeof data === "string" ? data : "",
  }));
}

function shortestTtl(records: { ttl: number }[]): number {
  return Math.min(...records.map(({ ttl }) => ttl));
}

/**
 * Returns how long an absence may be cached: the TTL of the SOA record or the last number in it, whichever is smaller
 * (RFC 2308).
 */
function negativeTtl({ ttl, data }: ReadRecord): { ttl: number } {
  const minimum = Number(data.trim().split(/\s+/).at(-1));
  return { ttl: Number.isFinite(minimum) ? Math.min(ttl, Math.max(0, minimum)) : ttl };
}

function readValue(type: RecordType, data: string): string {
  switch (type) {
    case "TXT":
      return joinStrings(data);
    case "MX": {
      const [priority = "", host = ""] = data.trim().split(/\s+/);
      return `${priority} ${hostName(host)}`;
    }
    case "NS":
    case "CNAME":
      return hostName(data);
    case "A":
    case "AAAA":
      return data.trim().toLowerCase();
  }
}

/**
 * Normalizes a host name: `Mail.Example.com.` → `mail.example.com`. The root alone, which a null MX names, remains a
 * dot.
 */
export function hostName(written: string): string {
  const trimmed = written.trim().toLowerCase();
  return trimmed === "." ? trimmed : trimmed.replace(/\.$/, "");
}

/**
 * Joins the strings of a TXT record. The record consists of strings of at most 255 bytes, which are joined without a
 * space (RFC 7208, section 3.3). Some resolvers quote each string, others return the whole text without quotes.
 */
function joinStrings(data: string): string {
  const trimmed = data.trim();
  const strings = /^(?:"(?:[^"\\]|\\[\s\S])*"\s*)+$/.test(trimmed) ? trimmed.match(/"(?:[^"\\]|\\[\s\S])*"/g) : null;
  return strings ? strings.map((string) => unescaped(string.slice(1, -1))).join("") : trimmed;
}

/** Resolves the escapes of RFC 1035, section 5.1: `\"` is a quote, and `\195` is the byte with that number. */
function unescaped(string: string): string {
  const bytes = new TextEncoder().encode(string);
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const digits =
      byte === backslash ? /^\d{3}/.exec(String.fromCharCode(...bytes.slice(at + 1, at + 4)))?.[0] : undefined;
    if (digits !== undefined && Number(digits) <= 255) {
      plain.push(Number(digits));
      at += 3;
    } else {
      if (byte === backslash) at++;
      plain.push(bytes[at] ?? backslash);
    }
  }
  return new TextDecoder().decode(new Uint8Array(plain));
}

const backslash = 92;

/**
 * Reports whether the records are a null MX: a single record `0 .`, by which a domain states that it accepts no mail
 * (RFC 7505).
 */
export function isNullMx(exchanges: string[]): boolean {
  return exchanges.length === 1 && exchanges[0]?.endsWith(" .") === true;
}

/** Reports whether we may use this resolver URL. Plain HTTP is allowed only for a resolver on this machine. */
export function isResolverUrl(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname } = new URL(written);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/**
 * Reports whether the host name of a URL means this machine. Browsers resolve all names under .localhost to this
 * machine.
 */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname);
}

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
