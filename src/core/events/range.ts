import { z } from "zod";
import { dayMs } from "../time";

/** A span of time in milliseconds since 1970. `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

const shape = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Reads a caller's date: `2026-01-31` is the whole day in UTC, and a date with a time is that millisecond. A time
 * without a zone is in UTC. Null for any other text.
 */
export function spanOf(text: string): Span | null {
  const [, day, zone] = shape.exec(text) ?? [];
  // Checked separately, because Date.parse reads 30 February as 2 March.
  if (day === undefined || !z.iso.date().safeParse(day).success) return null;
  if (text === day) return { from: Date.parse(day), to: Date.parse(day) + dayMs };
  const at = Date.parse(zone === undefined ? `${text}Z` : text);
  return Number.isNaN(at) ? null : { from: at, to: at + 1 };
}

/** The schema of `?startDate=` and of `?endDate=`. */
export const DateOrTime = z
  .string()
  .transform((text, check) => {
    const span = spanOf(text);
    if (span !== null) return span;
    const message = "Must be a date such as 2026-01-31, or a date with a time such as 2026-01-31T09:00:00Z";
    check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
    return z.NEVER;
  })
  .meta({ type: "string", example: "2026-01-31" });

/** The schema of a query for a span of time. Both ends are included. */
export const DateRange = z
  .object({
    startDate: DateOrTime.optional().meta({
      description: "The first day or time to include. A date starts at 00:00 UTC.",
    }),
    endDate: DateOrTime.optional().meta({
      description: "The last day or time to include. A date includes its whole day (UTC).",
    }),
  })
  .superRefine(endsAfterStart);

/** Refuses a span that ends before it starts. Used by queries that have more fields than `DateRange`. */
export function endsAfterStart(
  { startDate, endDate }: { startDate?: Span | undefined; endDate?: Span | undefined },
  check: z.RefinementCtx,
): void {
  if (startDate === undefined || endDate === undefined || startDate.from < endDate.to) return;
  const message = "Must not be before startDate";
  check.addIssue({ code: "custom", path: ["endDate"], message, params: { code: "custom" } });
}
