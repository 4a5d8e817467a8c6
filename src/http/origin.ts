let last = { prefix: "", origin: "" };

/**
 * The origin of a request's URL, cached: almost all requests of an isolate have the same origin, and parsing a URL
 * takes as long as everything else that a small request looks up.
 */
export function originOf(url: string): string {
  const prefix = url.slice(0, url.indexOf("/", "https://".length));
  if (prefix !== last.prefix) last = { prefix, origin: new URL(url).origin };
  return last.origin;
}
