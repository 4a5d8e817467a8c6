import type { Rate } from "../core/bucket";
import type { RateLimits } from "../platform/rate-limits";

const writes = new Set(["POST", "PATCH", "DELETE"]);

/** The buckets a request takes a token from: the project's own for everything, and the one of its kind. */
export function bucketsFor(
  method: string,
  path: string,
  limits: RateLimits | null,
  project: { sendRatePerSecond: number | null },
): { name: string; rate: Rate }[] {
  if (limits === null) return [];
  const kind = kindOf(method, path);
  const rate = kind && rateOf(kind, limits, project);
  return [...(limits.api ? [{ name: "api", rate: limits.api }] : []), ...(kind && rate ? [{ name: kind, rate }] : [])];
}

function kindOf(method: string, path: string): "send" | "track" | "contacts" | null {
  if (method === "POST" && path === "/v1/send") return "send";
  if (method === "POST" && path === "/v1/track") return "track";
  return writes.has(method) && /^\/contacts(\/|$)/.test(path) ? "contacts" : null;
}

/** An operator may hold one project below what all have. */
function rateOf(
  kind: "send" | "track" | "contacts",
  limits: RateLimits,
  project: { sendRatePerSecond: number | null },
): Rate | null {
  const rate = limits[kind];
  if (rate === null || kind !== "send" || project.sendRatePerSecond === null) return rate;
  return { ...rate, perSecond: Math.min(rate.perSecond, project.sendRatePerSecond) };
}
