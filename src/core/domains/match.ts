import { hostName } from "../dns";
import type { DnsRecord } from "./records";

/** Returns the values in DNS under a record's name and type; null when the lookup failed. */
type AnswersOf = (record: DnsRecord) => string[] | null;

/** Returns the records with the values found for each. A record whose lookup failed keeps its state. */
export function matchRecords(records: DnsRecord[], answersOf: AnswersOf): DnsRecord[] {
  return records.map((record) => {
    const answers = answersOf(record);
    return answers === null ? record : matchRecord(record, relevantValues(record, answers));
  });
}

function matchRecord({ found: _, ...record }: DnsRecord, values: string[]): DnsRecord {
  if (values.length === 0) return { ...record, status: "PENDING" };
  return { ...record, status: isMatch(record, values) ? "FOUND" : "MISMATCH", found: values };
}

/** Whether all required records were found. The other records are only advice. */
export function allRequiredFound(records: DnsRecord[]): boolean {
  return records.every(({ required, status }) => !required || status === "FOUND");
}

/**
 * Whether any lookup is needed. A reserved name that the provider has verified needs none, because it has no required
 * records.
 */
export function needsDns(records: DnsRecord[]): boolean {
  return records.some(({ required }) => required);
}

/** Selects the values of the record's kind, because a name may have TXT records for many purposes. */
function relevantValues({ purpose, type }: DnsRecord, values: string[]): string[] {
  if (type !== "TXT") return values;
  if (purpose === "SPF") return values.filter((value) => /^v=spf1(\s|$)/i.test(value.trim()));
  if (purpose === "DMARC") return values.filter((value) => /^v\s*=\s*DMARC1\s*(;|$)/i.test(value.trim()));
  return values;
}

function isMatch(record: DnsRecord, values: string[]): boolean {
  const { purpose, type, value } = record;
  switch (type) {
    case "CNAME":
      return values.some((found) => hostName(found) === hostName(value));
    case "MX":
      // The priority is ignored: a single exchange needs none, and when there are several, the provider itself reports
      // missing ones.
      return values.some((found) => hostName(found.replace(/^\d+\s+/, "")) === hostName(value.replace(/^\d+\s+/, "")));
    case "TXT":
      if (purpose === "SPF") return allowsSameSenders(value, values);
      // Any single policy is accepted, because the owner may choose a stricter one. Two policies count as none (RFC
      // 7489, 6.6.3).
      if (purpose === "DMARC") return values.length === 1;
      return values.some((found) => withoutBlanks(found) === withoutBlanks(value));
  }
}

/**
 * Whether there is exactly one SPF record, and it allows our senders. It may allow other senders too. RFC 7208 makes
 * two records an error.
 */
function allowsSameSenders(value: string, values: string[]): boolean {
  const [only = "", ...more] = values;
  const mechanisms = new Set(termsOf(only));
  return more.length === 0 && sendersOf(value).every((sender) => mechanisms.has(sender));
}

function sendersOf(spf: string): string[] {
  return termsOf(spf).filter((term) => !/^(v=spf1$|[-~?+]?all$)/.test(term));
}

function termsOf(spf: string): string[] {
  return spf
    .toLowerCase()
    .split(/\s+/)
    .map((term) => term.replace(/^\+/, ""));
}

/** Removes blanks: people paste keys with line breaks, and DNS panels add spaces. */
function withoutBlanks(value: string): string {
  return value.replaceAll(/\s+/g, "").replace(/;$/, "");
}
