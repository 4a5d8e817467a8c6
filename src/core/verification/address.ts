import { asciiDomain } from "../mail/address";

/** An address as it is judged: also those that `/v1/send` does not take. */
export interface JudgedAddress {
  email: string;
  /** What the mailbox is called, without quotes. */
  local: string;
  /** In lower-case ASCII; null when it is no host name of two labels or more. */
  domain: string | null;
  /** What breaks the rules of RFC 5321; empty for a legal address. */
  faults: string[];
}

const maxAddressBytes = 254;
const maxLocalBytes = 64;

// RFC 5322 atext, and RFC 6531: every character beyond ASCII, but no blanks and no controls.
const atom = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\s\p{Cc}])+$/u;
const quoted = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;

/**
 * Reads what has the form of an address: something, an @, something, without blanks outside of quotes. Null for all
 * else. Whether it is a legal one is said in `faults`.
 */
export function readAddress(written: string): JudgedAddress | null {
  const trimmed = written.trim();
  const at = trimmed.lastIndexOf("@");
  const [localPart, host] = [trimmed.slice(0, Math.max(at, 0)), trimmed.slice(at + 1)];
  const isQuoted = quoted.test(localPart);
  if (localPart === "" || host === "" || notOneWord.test(host) || (!isQuoted && notOneWord.test(localPart)))
    return null;
  const domain = asciiDomain(host);
  const email = `${localPart.toLowerCase()}@${domain ?? host.toLowerCase()}`;
  return {
    email,
    local: isQuoted ? localPart.slice(1, -1).replaceAll(/\\(.)/gsu, "$1") : localPart,
    domain,
    faults: [...localFaults(localPart, isQuoted), ...domainFaults(host, domain), ...lengthFaults(email)],
  };
}

const notOneWord = /[\s\p{Cc}@]/u;

function localFaults(localPart: string, isQuoted: boolean): string[] {
  const faults = [];
  if (bytesOf(localPart) > maxLocalBytes) faults.push(`The part before the @ is longer than ${maxLocalBytes} bytes.`);
  const isDotted = localPart.split(".").every((part) => atom.test(part));
  if (!isQuoted && !isDotted) {
    faults.push("The part before the @ has a character or a dot that is only allowed in quotes.");
  }
  return faults;
}

function domainFaults(host: string, domain: string | null): string[] {
  return domain === null ? [`${host} is not a valid host name for mail.`] : [];
}

function lengthFaults(email: string): string[] {
  return bytesOf(email) > maxAddressBytes ? [`The address is longer than ${maxAddressBytes} bytes.`] : [];
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
