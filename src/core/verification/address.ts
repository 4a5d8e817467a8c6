import { asciiDomain } from "../mail/address";

/** An address to be judged, also one that `/v1/send` refuses. */
export interface JudgedAddress {
  email: string;
  /** The local part, without quotes. */
  local: string;
  /** In lower-case ASCII; null when it is not a host name of at least two labels. */
  domain: string | null;
  /** The violations of RFC 5321; empty for a legal address. */
  faults: string[];
}

const maxAddressBytes = 254;
const maxLocalBytes = 64;

// RFC 5322 atext, and RFC 6531: every character beyond ASCII, except spaces and control characters.
const atom = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\s\p{Cc}])+$/u;
const quoted = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;

/**
 * Reads a text with the form of an address: something, an @, something, without spaces outside of quotes. Null for
 * anything else. `faults` says whether the address is legal.
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
