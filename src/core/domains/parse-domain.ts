import { lazily } from "../lazily";

const library = lazily(() => import("tldts"));

/**
 * Splits a host name by the list of public suffixes (publicsuffix.org). The list is loaded with the first name: it
 * would take the largest part of an isolate's start, and most isolates never need it.
 */
export async function parseDomain(name: string) {
  return (await library()).parse(name);
}
