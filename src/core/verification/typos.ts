import { POPULAR_DOMAINS, run } from "@zootools/email-spell-checker";
import { parseDomain } from "../domains/parse-domain";
import { isReservedDomain } from "../domains/records";
import { editsBetween } from "../edits";

/** Providers that the typo checker knows only by the first label of their domains. */
const moreProviders = [
  "fastmail.com",
  "hotmail.com",
  "hotmail.co.uk",
  "hotmail.fr",
  "outlook.com",
  "tutanota.com",
  "yahoo.com",
  "yahoo.co.uk",
  "yahoo.fr",
];
// Short names resemble everything: acme.com is two letters from me.com. The list's mailw.com belongs to no provider.
const minLabelLength = 5;
const providers = [...POPULAR_DOMAINS, ...moreProviders].filter(
  (domain) => labelOf(domain).length >= minLabelLength && domain !== "mailw.com",
);
const providerLabels = new Set(providers.map(labelOf));

/** In a name of at least this many letters, two slips are as likely as one in a shorter name. */
const longLabel = 7;

/** A non-existent top-level domain was probably meant to be one of these. */
const commonTopLevels = ["com", "net", "org"];
/** These top-level domains exist, but after a large provider's name they are a typing error. */
const slips = new Set(["co", "cm", "om"]);

/** Returns the domain that was probably meant; null when the given one looks right. */
export async function suggestDomain(domain: string): Promise<string | null> {
  if (isReservedDomain(domain)) return null;
  const { isIcann, subdomain } = await parseDomain(domain);
  const repaired = isIcann ? domain : withNearestTopLevel(domain);
  const suggested = (subdomain ? null : nearestProvider(repaired)) ?? repaired;
  return suggested === domain ? null : suggested;
}

function withNearestTopLevel(domain: string): string {
  const end = domain.lastIndexOf(".") + 1;
  const nearest = nearestOf(commonTopLevels, domain.slice(end), editsBetween);
  return nearest === null ? domain : domain.slice(0, end) + nearest;
}

function nearestProvider(domain: string): string | null {
  const label = labelOf(domain);
  // Not an error, but a national domain of a provider, such as yahoo.ca or outlook.com.br, which the list leaves out.
  if (providerLabels.has(label) && !slips.has(domain.slice(label.length + 1))) return null;
  // Typing errors rarely affect the first letter: fmail.com and cloud.com are other companies.
  const candidates = providers.filter((provider) => provider[0] === domain[0]);
  return nearestOf(candidates, domain, (written, provider) => {
    const edits = editsBetween(written, provider);
    return labelOf(provider).length >= longLabel ? edits / 2 : edits;
  });
}

/**
 * Returns the nearest domain on a list. Uses our own edit distance, because the checker's distance treats too many
 * words as similar.
 */
function nearestOf(domains: string[], written: string, distanceFunction: (a: string, b: string) => number) {
  const options = { domains, distanceFunction, domainThreshold: 1, secondLevelDomains: [], topLevelDomains: [] };
  return run({ ...options, email: `x@${written}` })?.domain ?? null;
}

function labelOf(domain: string): string {
  return domain.slice(0, domain.indexOf("."));
}
