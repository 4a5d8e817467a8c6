import { isReservedDomain } from "../domains/records";

/**
 * Services that offer addresses which forward to an existing mailbox, each with its domains. People keep these
 * addresses, so they do not count as disposable, even if a list says so.
 */
const aliasDomains = new Set([
  // SimpleLogin and Proton Pass
  "simplelogin.com",
  "simplelogin.co",
  "simplelogin.fr",
  "slmail.me",
  "slmails.com",
  "silomails.com",
  "8shield.net",
  "8alias.com",
  "aleeas.com",
  "dralias.com",
  "passmail.net",
  "passmail.com",
  "passinbox.com",
  "passfwd.com",
  // addy.io
  "addy.io",
  "addymail.com",
  "anonaddy.com",
  "anonaddy.me",
  // DuckDuckGo, Firefox Relay, Apple
  "duck.com",
  "mozmail.com",
  "relay.firefox.com",
  "privaterelay.appleid.com",
  // Others
  "33mail.com",
  "erine.email",
  "forwardemail.net",
  "fwd.email",
  "improvmx.com",
  "ivmail.com",
  "maskme.com",
  "opaymail.com",
  "pleasefwd.com",
  "spamgourmet.com",
  "startmail.net",
]);

/** Large providers that are still missing from the list of personal domains. */
const alsoPersonal = ["fastmail.com", "hey.com", "tuta.com", "tuta.io", "tutamail.com", "tutanota.com", "ziggo.nl"];
/** Names on the list of personal domains that are no longer mail providers, or never were. */
const notPersonal = ["about.com", "alibaba.com", "discovery.com", "go.com", "medscape.com", "space.com", "test.com"];

/** Lists of domains that third parties maintain. */
export interface DomainLists {
  disposable: ReadonlySet<string>;
  personal: ReadonlySet<string>;
}

/** Returns the lists with our additions and exceptions. */
export function readLists(disposable: readonly string[], providers: readonly string[]): DomainLists {
  const personal = [...providers, ...alsoPersonal].filter((name) => !notPersonal.includes(name));
  return { disposable: new Set(disposable), personal: new Set(personal) };
}

/** Whether the domain offers disposable mailboxes. */
export function isDisposableDomain({ disposable }: DomainLists, domain: string): boolean {
  return !isAliasDomain(domain) && withParents(domain).some((name) => disposable.has(name));
}

/** Whether the domain forwards to other mailboxes. Each customer of such a service may use a subdomain of it. */
export function isAliasDomain(domain: string): boolean {
  return withParents(domain).some((name) => aliasDomains.has(name));
}

/**
 * Whether anyone can get a mailbox at the domain. Disposable domains do not count, although the list of providers
 * contains some.
 */
export function isPersonalDomain(lists: DomainLists, domain: string): boolean {
  const isListed = lists.personal.has(domain) && !isDisposableDomain(lists, domain);
  return isListed && !isReservedExample(domain) && !isAliasDomain(domain);
}

/** Whether the domain, or a domain above it, is a personal one: no customer can own either. */
export function isOfPersonalDomain(lists: DomainLists, domain: string): boolean {
  return withParents(domain).some((name) => isPersonalDomain(lists, name));
}

/** Whether RFC 2606 reserves the domain for examples. */
function isReservedExample(domain: string): boolean {
  return isReservedDomain(domain) || /^example\.(com|net|org)$/.test(domain);
}

/**
 * Returns a domain and its parents: `a.b.com` → `a.b.com`, `b.com`. Top-level domains are left out, because no list
 * contains one.
 */
function withParents(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
}
