let library: typeof import("tldts") | undefined;

/**
 * Splits a host name by the list of public suffixes (publicsuffix.org). The list is loaded with the first name: it
 * would be the most expensive part of an isolate's start, and most isolates never need it.
 */
export async function parseDomain(name: string) {
  library ??= await import("tldts");
  return library.parse(name);
}
