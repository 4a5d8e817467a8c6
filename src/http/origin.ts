let last = { prefix: "", origin: "" };

/**
 * The origin of a request's address. Almost every request of an isolate has the same one, and to parse an address takes
 * as long as all that a small request looks up.
 */
export function originOf(url: string): string {
  const prefix = url.slice(0, url.indexOf("/", "https://".length));
  if (prefix !== last.prefix) last = { prefix, origin: new URL(url).origin };
  return last.origin;
}
