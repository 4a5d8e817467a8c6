let library: typeof import("tldts") | undefined;

/**
 * The parts of a host name by the list of public suffixes (publicsuffix.org). The list is loaded with the first name: it
 * is the largest single piece of what an isolate would compute when it starts, and most isolates never need it.
 */
export async function parseDomain(name: string) {
  library ??= await import("tldts");
  return library.parse(name);
}
