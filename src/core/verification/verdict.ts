import { isNullMx } from "../dns";
import type { JudgedAddress } from "./address";
import { type DomainLists, isAliasDomain, isDisposableDomain, isPersonalDomain } from "./lists";
import { suggestDomain } from "./typos";

/** The DNS records of a domain. When there are no name servers, nothing else was looked up. */
export interface DomainFacts {
  nameServers: string[];
  addresses: string[];
  /** MX records, each as `10 mx.acme.com`. */
  exchanges: string[];
  /** Whether the zone's servers fail. If they do, records that are missing here may exist. */
  serversFail: boolean;
}

export const nothingFound: DomainFacts = { nameServers: [], addresses: [], exchanges: [], serversFail: false };

export interface AddressVerdict {
  email: string;
  valid: boolean;
  isDisposable: boolean;
  isAlias: boolean;
  isTypo: boolean;
  isPlusAddressed: boolean;
  isPersonalEmail: boolean;
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  suggestedEmail?: string;
  reasons: string[];
}

/** Judges whether mail can reach an address, and adds warnings. Warnings do not make the address invalid. */
export async function judge(address: JudgedAddress, facts: DomainFacts, lists: DomainLists): Promise<AddressVerdict> {
  const { email, local, domain, faults } = address;
  const name = domain ?? "";
  const suggested = domain === null ? null : await suggestDomain(domain);
  const suggestedEmail = suggested === null ? null : `${email.slice(0, email.lastIndexOf("@"))}@${suggested}`;
  const obstacles = faults.length > 0 ? faults : dnsFaults(name, facts);
  const flags = {
    isDisposable: isDisposableDomain(lists, name),
    isAlias: isAliasDomain(name),
    isTypo: suggestedEmail !== null,
    // A plus at the very start is part of the name, not a tag.
    isPlusAddressed: local.indexOf("+") > 0,
    // A misspelt domain is not personal. The list contains some misspelt domains, because somebody has registered them.
    isPersonalEmail: suggestedEmail === null && isPersonalDomain(lists, name),
  };
  return {
    email,
    valid: obstacles.length === 0,
    ...flags,
    domainExists: facts.nameServers.length > 0,
    hasWebsite: facts.addresses.length > 0,
    hasMxRecords: facts.exchanges.length > 0 && !isNullMx(facts.exchanges),
    ...(suggestedEmail === null ? {} : { suggestedEmail }),
    reasons: [...obstacles, ...warnings(name, flags, suggestedEmail)],
  };
}

function dnsFaults(domain: string, { nameServers, exchanges, serversFail }: DomainFacts): string[] {
  if (serversFail) {
    return [
      `The domain ${domain} cannot be looked up: its name servers fail (SERVFAIL), or its DNSSEC signatures are not valid.`,
    ];
  }
  if (nameServers.length === 0) return [`The domain ${domain} does not exist: it has no name servers (NS).`];
  if (exchanges.length === 0) return [`The domain ${domain} accepts no mail: it has no mail exchange (MX) records.`];
  if (isNullMx(exchanges)) return [`The domain ${domain} accepts no mail: it has a null MX record (RFC 7505).`];
  return [];
}

/** Returns warnings for the sender. A personal or a plus-addressed mailbox is no reason for a warning. */
function warnings(
  domain: string,
  flags: { isDisposable: boolean; isAlias: boolean },
  suggestedEmail: string | null,
): string[] {
  return [
    ...(flags.isDisposable ? [`${domain} offers disposable mailboxes.`] : []),
    ...(flags.isAlias ? [`${domain} forwards mail to another mailbox.`] : []),
    ...(suggestedEmail === null ? [] : [`The domain looks misspelt: ${suggestedEmail} was probably meant.`]),
  ];
}
