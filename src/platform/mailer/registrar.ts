import type { DnsRecord } from "../../core/domains/records";
import { allAccounts, type MailAccounts } from "./accounts";
import type { AddedDomain, Mailer, SenderDomain } from "./mailer";

/** The combined state of a sender domain at all providers of the installation. */
export interface RegisteredDomain extends SenderDomain {
  /** The providers in whose accounts this call created the domain. */
  newAt: string[];
}

/** Registers a domain with every provider that may carry its mail. */
export async function registerDomain(accounts: MailAccounts, domain: string): Promise<RegisteredDomain> {
  return atEach(accounts, (mailer) => mailer.addDomain(domain));
}

/** Returns the current state of a domain. Registers it at each provider that does not know it. */
export async function inspectDomain(accounts: MailAccounts, domain: string): Promise<RegisteredDomain> {
  return atEach(accounts, async (mailer) => (await mailer.domainStatus(domain)) ?? mailer.addDomain(domain));
}

/** Removes a domain from the accounts of these providers. */
export async function unregisterDomain(accounts: MailAccounts, domain: string, providers: string[]): Promise<void> {
  for (const { mailer } of allAccounts(accounts)) {
    if (providers.includes(mailer.name)) await mailer.removeDomain(domain);
  }
}

/** Reads the column `created_with`: the names of the providers in whose accounts we created a domain. */
export function readProviders(createdWith: string | null): string[] {
  return createdWith === null ? [] : createdWith.split(",");
}

export function writeProviders(names: Iterable<string>): string | null {
  return [...new Set(names)].join(",") || null;
}

/**
 * Combines the results of all providers. A record that only the fallback requires becomes optional: mail should not
 * stop because of an account that is rarely used.
 */
async function atEach(
  accounts: MailAccounts,
  ask: (mailer: Mailer) => Promise<SenderDomain | AddedDomain>,
): Promise<RegisteredDomain> {
  const { main, marketing } = accounts;
  const seen: RegisteredDomain = { verified: true, records: [], newAt: [] };
  for (const account of allAccounts(accounts)) {
    const { mailer } = account;
    const found = await ask(mailer);
    const isNeeded = account === main || account === marketing;
    if (isNeeded) seen.verified &&= found.verified;
    seen.records.push(...newRecords(seen.records, found.records, isNeeded));
    if ("isNew" in found && found.isNew) seen.newAt.push(mailer.name);
  }
  return seen;
}

/** Returns the found records that are not known yet, because two providers may ask for the same record. */
function newRecords(known: DnsRecord[], found: DnsRecord[], isNeeded: boolean): DnsRecord[] {
  const isKnown = ({ type, name, value }: DnsRecord) =>
    known.some((each) => each.type === type && each.name === name && each.value === value);
  return found
    .filter((record) => !isKnown(record))
    .map((record) => (isNeeded ? record : { ...record, required: false }));
}
