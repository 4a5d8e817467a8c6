import { asciiDomain } from "../mail/address";
import { parseDomain } from "./parse-domain";

export type RecordPurpose = "OWNERSHIP" | "DKIM" | "SPF" | "RETURN_PATH" | "DMARC";

/** A DNS record that the domain's owner creates, and the result of its last check. */
export interface DnsRecord {
  purpose: RecordPurpose;
  type: "TXT" | "CNAME" | "MX";
  name: string;
  value: string;
  priority?: number;
  required: boolean;
  status: "PENDING" | "FOUND" | "MISMATCH";
  found?: string[];
}

// Top-level domains reserved by RFC 2606. They never exist in DNS, so there is nothing to check.
const reservedTopLevels = new Set(["test", "example", "localhost"]);

/**
 * Returns a host name that can send mail, in lower-case ASCII; null for a bare public suffix, an address or anything
 * else.
 */
export async function senderDomain(written: string): Promise<string | null> {
  const domain = asciiDomain(written.trim());
  if (domain === null) return null;
  const { domain: registrable, isIp } = await parseDomain(domain);
  return registrable === null || isIp ? null : domain;
}

export function isReservedDomain(domain: string): boolean {
  return reservedTopLevels.has(domain.slice(domain.lastIndexOf(".") + 1));
}

/** Returns the TXT record that proves the ownership of a domain. The token is random and stored with the domain. */
export function ownershipRecord(domain: string, token: string, required: boolean): DnsRecord {
  return {
    purpose: "OWNERSHIP",
    type: "TXT",
    name: `_petrel.${domain}`,
    value: `petrel-verification=${token}`,
    required,
    status: "PENDING",
  };
}

/**
 * Returns the DMARC record, which is only advice: large mailbox providers trust mail less when the domain has no
 * policy.
 */
export function dmarcRecord(domain: string): DnsRecord {
  return {
    purpose: "DMARC",
    type: "TXT",
    name: `_dmarc.${domain}`,
    value: "v=DMARC1; p=none;",
    required: false,
    status: "PENDING",
  };
}
