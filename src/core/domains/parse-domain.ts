import { lazily } from "../lazily";

const library = lazily(() => import("tldts"));

/**
 * Splits a host name by the list of public suffixes (publicsuffix.org). The list is loaded on the first call, because
 * loading it would take up most of an isolate's start-up time, and most isolates never need it.
 */
export async function parseDomain(name: string) {
  return (await library()).parse(name);
}
