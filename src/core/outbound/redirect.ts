/** A call that a tenant configured. */
export interface OutboundCall {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  /** Whether the call is pointless without its body. If so, a redirect that drops the body is not followed. */
  needsBody?: boolean;
}

const redirects = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/**
 * The only headers that are sent to another origin. Anything else may be a credential, or a signature meant for the
 * first origin.
 */
const harmless = new Set(["accept", "content-type", "user-agent"]);

/**
 * Returns the call that follows a redirect, as browsers would make it. When the redirect must not be followed, returns
 * a sentence with the reason.
 */
export function redirected(
  call: OutboundCall,
  from: URL,
  status: number,
  location: string | null,
): OutboundCall | string {
  if (location === null || !URL.canParse(location, from.href)) return "It redirects without saying where to.";
  const to = new URL(location, from);
  if (from.protocol === "https:" && to.protocol === "http:") return "It redirects from https: to http:.";
  const losesBody = (status === 303 && call.method !== "HEAD") || (status < 303 && call.method === "POST");
  if (losesBody && call.needsBody) {
    return `It redirects with ${status}, which would drop the event: use the URL that it redirects to.`;
  }
  const headers = Object.entries(call.headers).filter(([name]) => {
    if (losesBody && name.toLowerCase() === "content-type") return false;
    return to.origin === from.origin || harmless.has(name.toLowerCase());
  });
  return {
    ...call,
    url: resolved(location, to),
    method: losesBody ? "GET" : call.method,
    headers: Object.fromEntries(headers),
    body: losesBody ? null : call.body,
  };
}

/** Resolves a Location. An absolute one stays as it was written, so that unusual spellings are judged too. */
function resolved(location: string, to: URL): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(location) ? location : to.href;
}
