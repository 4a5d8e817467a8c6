import { secondMs } from "../time";

/**
 * Reads a `Retry-After` header as milliseconds from now. The header contains seconds or an HTTP date (RFC 9110, section
 * 10.2.3).
 */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * secondMs;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
