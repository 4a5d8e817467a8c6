import { asciiDomain, isLocalPart, maxAddressLength, maxLocalLength, normalizeEmail } from "../mail/address";

/** An address to judge. It may be one that all other calls refuse. */
export interface JudgedAddress {
  email: string;
  /** The local part. */
  local: string;
  /** The domain in lower-case ASCII; null when it is not a host name of at least two labels. */
  domain: string | null;
  /** The faults for which other calls refuse the address; empty when they accept it. */
  faults: string[];
}

/**
 * Reads a text with the form of an address: something, an @, something, without spaces outside of quotes. Null for
 * anything else. The result has no faults exactly when `normalizeEmail` accepts the address.
 */
export function readAddress(written: string): JudgedAddress | null {
  const trimmed = written.trim();
  const at = trimmed.lastIndexOf("@");
  const [local, host] = [trimmed.slice(0, Math.max(at, 0)), trimmed.slice(at + 1)];
  if (local === "" || host === "" || notOneWord.test(host) || (!quoted.test(local) && notOneWord.test(local)))
    return null;
  const email = normalizeEmail(trimmed);
  const domain = asciiDomain(host);
  if (email !== null) return { email, local, domain, faults: [] };
  const judged = `${local.toLowerCase()}@${domain ?? host.toLowerCase()}`;
  return { email: judged, local, domain, faults: faultsOf({ local, host, domain, judged }) };
}

const quoted = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;
const notOneWord = /[\s\p{Cc}@]/u;

interface Refused {
  local: string;
  host: string;
  domain: string | null;
  judged: string;
}

function faultsOf({ local, host, domain, judged }: Refused): string[] {
  const faults = [];
  if (local.length > maxLocalLength) {
    faults.push(`The part before the @ is longer than ${maxLocalLength} characters.`);
  }
  const fault = localFault(local);
  if (fault !== null) faults.push(fault);
  if (domain === null) faults.push(`${host} is not a valid host name for mail.`);
  if (judged.length > maxAddressLength) faults.push(`The address is longer than ${maxAddressLength} characters.`);
  return faults;
}

/** Returns the first fault in the characters of the local part, regardless of its length. */
function localFault(local: string): string | null {
  if (isLocalPart(local)) return null;
  if (quoted.test(local))
    return "The part before the @ is in quotes, which few mail servers accept. No mail is sent to it.";
  if (/[^\p{ASCII}]/u.test(local)) {
    return "The part before the @ has a character beyond ASCII, which few mail servers accept. No mail is sent to it.";
  }
  return "The part before the @ has a character or a dot that is only allowed in quotes.";
}
