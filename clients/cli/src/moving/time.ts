/**
 * Returns a time in the API's form, from a text (by default in UTC) or from seconds since 1970. Undefined for an empty
 * or invalid value, and for a time in the future.
 */
export function timeOf(written: unknown, now = Date.now()): string | undefined {
  const at = milliseconds(written);
  return at > 0 && at <= now ? new Date(at).toISOString() : undefined;
}

function milliseconds(written: unknown): number {
  if (typeof written === "number") return written * 1000;
  if (typeof written !== "string") return Number.NaN;
  const text = written.trim();
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  const isWithoutZone = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/.test(text);
  return Date.parse(isWithoutZone && text.length > 10 ? `${text.replace(" ", "T")}Z` : text.replace(" UTC", "Z"));
}
