import type { Absence } from "../../core/dns";
import { parseDomain } from "../../core/domains/parse-domain";
import type { JudgedAddress } from "../../core/verification/address";
import { type AddressVerdict, type DomainFacts, judge, nothingFound } from "../../core/verification/verdict";
import type { Context } from "../../platform/context";

/** Judges an address by its syntax, the DNS of its domain and the lists of domains. No mail is sent. */
export async function verifyEmail(ctx: Context, address: JudgedAddress): Promise<AddressVerdict> {
  const { domain, faults } = address;
  const facts = domain === null || faults.length > 0 ? nothingFound : await factsOf(ctx, domain);
  return judge(address, facts, await ctx.domainLists());
}

/**
 * Looks up the facts about a domain, all at once. When there are no name servers, the other lookups and their failures
 * do not matter.
 */
async function factsOf(ctx: Context, domain: string): Promise<DomainFacts> {
  const pending = nameServersOf(ctx, domain);
  const others = Promise.all([
    ctx.dns.lookup(domain, "A"),
    ctx.dns.lookup(domain, "AAAA"),
    ctx.dns.lookup(domain, "MX"),
  ]);
  // If `others` is never awaited, its failure must not be reported as unhandled.
  others.catch(() => {});
  const nameServers = await pending;
  if (valuesOf(nameServers).length === 0) return { ...nothingFound, serversFail: nameServers === "server failure" };
  const [a, aaaa, exchanges] = await others;
  return {
    nameServers: valuesOf(nameServers),
    addresses: [...valuesOf(a), ...valuesOf(aaaa)],
    exchanges: valuesOf(exchanges),
    serversFail: exchanges === "server failure",
  };
}

/**
 * Returns the name servers of a domain. A subdomain has name servers of its own only if it is a separate zone;
 * otherwise those of the registered domain apply.
 */
async function nameServersOf(ctx: Context, domain: string): Promise<string[] | Absence> {
  const registered = (await parseDomain(domain)).domain ?? domain;
  const own = ctx.dns.lookup(domain, "NS");
  if (registered === domain) return own;
  const ofParent = ctx.dns.lookup(registered, "NS");
  ofParent.catch(() => {});
  const found = await own;
  return Array.isArray(found) && found.length === 0 ? ofParent : found;
}

function valuesOf(found: string[] | Absence): string[] {
  return Array.isArray(found) ? found : [];
}
