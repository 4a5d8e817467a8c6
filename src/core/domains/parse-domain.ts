import { lazily } from "../lazily";

const library = lazily(() => import("tldts"));

/**
 * Splits a host name by the list of public suffixes (publicsuffix.org). The list is loaded with the first name:
 * otherwise it would take up most of the time in which an isolate starts, and most isolates never need it.
 */
export async function parseDomain(name: string) {
  return (await library()).parse(name);
}
