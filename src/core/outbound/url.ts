import { hostName } from "../dns";
import { isPublicAddress, literalAddress } from "./address";

const maxUrlLength = 2_000;

/** The facts that decide whether a URL may be called. */
export interface OutboundRules {
  /** Our own host names, lower-case. */
  ownHosts: ReadonlySet<string>;
  /** `host:port` pairs of this machine that may nevertheless be called, for development. */
  allowedLoopback: ReadonlySet<string>;
}

/** A URL that may be called once its name has been resolved; or a sentence with the reason why not. */
export type JudgedUrl =
  | {
      kind: "good";
      url: URL;
      /** The name whose addresses must be judged; null when there is nothing to resolve. */
      name: string | null;
    }
  | { kind: "refused"; reason: string };

/** Names that only have a meaning in a private network: RFC 6761, 6762, 7686, 8375, 9476 and common use. */
const privateName =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion|alt|invalid)$/;

/**
 * Judges a URL from a tenant before any lookup. The URL parser turns every spelling of a host into one form: decimal,
 * octal, hexadecimal and short IPv4 addresses, full-width characters, and IDN dots. The judged form is the one that is
 * called later.
 */
export function judgeUrl(written: string, rules: OutboundRules): JudgedUrl {
  if (written.length > maxUrlLength) return refused(`is longer than ${maxUrlLength} characters`);
  // The parser silently drops or repairs these characters, so the URL called would differ from the one that is shown.
  if (/[\s\p{Cc}\\]/u.test(written)) return refused("has a space, a control character or a backslash in it");
  if (!URL.canParse(written)) return refused("is not a valid URL");
  const url = new URL(written);
  if (url.protocol !== "http:" && url.protocol !== "https:") return refused("must begin with http: or https:");
  if (!/^https?:\/\/[^/?#]/i.test(written)) return refused("must have two slashes before its host");
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(written)?.[1] ?? "";
  if (url.username !== "" || url.password !== "" || authority.includes("@")) {
    return refused("must not have a user name or password in it");
  }
  url.hash = "";
  if (rules.allowedLoopback.has(hostAndPort(url))) return { kind: "good", url, name: null };
  return judgeHost(url, rules);
}

function judgeHost(url: URL, { ownHosts }: OutboundRules): JudgedUrl {
  const name = hostName(url.hostname);
  const address = literalAddress(name);
  if (address !== null) {
    if (!isPublicAddress(address)) return refused(`names ${address}, which is not an address of the public internet`);
    if (ownHosts.has(name)) return refused(isOurs(name));
    return { kind: "good", url, name: null };
  }
  if (privateName.test(name) || !/^[^.]+(\.[^.]+)+$/.test(name)) {
    return refused(`names ${name || "no host"}, which is not a host of the public internet`);
  }
  if (ownHosts.has(name)) return refused(isOurs(name));
  // A name means the same host with and without a dot at its end, but certificates contain it without the dot.
  url.hostname = name;
  return { kind: "good", url, name };
}

function isOurs(name: string): string {
  return `names ${name}, which is this service itself`;
}

/** Returns `host:port`, with the default port of the scheme when the URL names none. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

function refused(reason: string): JudgedUrl {
  return { kind: "refused", reason: `The URL ${reason}.` };
}
