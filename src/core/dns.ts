import { isJsonObject } from "./json";

/** The record types that are asked for, with the numbers they have in DNS. */
const typeNumbers = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const;
const startOfAuthority = 6;

export type RecordType = keyof typeof typeNumbers;

/**
 * Why a name has nothing to show: it does not exist, or the servers of its zone cannot be made to say (they are gone, or
 * their DNSSEC signatures are wrong). A name that exists and has no records of a type is no absence, but an empty list.
 */
export type Absence = "no such name" | "server failure";

export interface DnsAnswer {
  /** What the name has of one type. Hosts are lower-case and without the dot at their end. */
  found: string[] | Absence;
  /** For how long the answer holds; 0 when nothing says so. */
  ttlSeconds: number;
}

// RFC 1035 and RFC 2308. Every other code tells something of the resolver, and nothing of the name.
const noError = 0;
const serverFailure = 2;
const noSuchName = 3;

/** An answer in the JSON form of DNS over HTTPS (`application/dns-json`); null when it does not tell what the name has. */
export function readDnsAnswer(body: unknown, type: RecordType): DnsAnswer | null {
  if (!isJsonObject(body)) return null;
  if (body.Status === serverFailure) return { found: "server failure", ttlSeconds: 0 };
  if (body.Status !== noError && body.Status !== noSuchName) return null;
  const answer = recordsOf(body.Answer);
  // An answer over a CNAME holds that as well: only records of the type asked for count.
  const records = answer.filter((record) => record.type === typeNumbers[type]);
  if (records.length > 0) {
    return { found: records.map(({ data }) => readValue(type, data)), ttlSeconds: shortestTtl(records) };
  }
  const authority = recordsOf(body.Authority).filter((record) => record.type === startOfAuthority);
  return {
    // RFC 6604: the code is about the end of a chain of CNAMEs, and the name that has one exists.
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

/** RFC 2308: an absence holds for the smaller of the record's own life and the last number it says. */
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

/** `Mail.Example.com.` → `mail.example.com`. The root alone, which a null MX names, stays a dot. */
export function hostName(written: string): string {
  const trimmed = written.trim().toLowerCase();
  return trimmed === "." ? trimmed : trimmed.replace(/\.$/, "");
}

/**
 * A TXT record is made of strings of at most 255 bytes, which belong together without a blank (RFC 7208, section 3.3).
 * Some resolvers write each in quotes, others write the whole without any.
 */
function joinStrings(data: string): string {
  const trimmed = data.trim();
  const strings = /^(?:"(?:[^"\\]|\\[\s\S])*"\s*)+$/.test(trimmed) ? trimmed.match(/"(?:[^"\\]|\\[\s\S])*"/g) : null;
  return strings ? strings.map((string) => unescaped(string.slice(1, -1))).join("") : trimmed;
}

/** RFC 1035, section 5.1: `\"` is a quote, and `\195` the byte of that number. */
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

/** RFC 7505: the one MX record `0 .` says that a domain takes no mail. */
export function isNullMx(exchanges: string[]): boolean {
  return exchanges.length === 1 && exchanges[0]?.endsWith(" .") === true;
}

/** Is this the address of a resolver we may ask? In the clear only on this very machine. */
export function isResolverUrl(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname } = new URL(written);
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
