export const measures = ["sent", "delivered", "opened", "clicked", "bounced", "unsubscribed"] as const;
export type Measure = (typeof measures)[number];

/** The counts of an hour or a day. */
export type Span = { at: number } & Record<Measure, number>;

type Hour = { at: string } & Record<Measure, number>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** More bars than this would be too thin to point at. */
const mostHours = 72;
const mostSpans = 90;

/** Fills in hours without events, which the service leaves out, and sums hours into days when there are many. */
export function spansOf(hours: Hour[]): { isByDay: boolean; spans: Span[] } {
  const [first, last] = [hours[0], hours.at(-1)].map((hour) => Date.parse(hour?.at ?? ""));
  if (first === undefined || last === undefined || Number.isNaN(first)) return { isByDay: false, spans: [] };
  const isByDay = (last - first) / hourMs >= mostHours;
  const sizeMs = isByDay ? dayMs : hourMs;
  const startOf = (time: number) => time - (time % sizeMs);
  const count = Math.min(mostSpans, (startOf(last) - startOf(first)) / sizeMs + 1);
  const spans = Array.from({ length: count }, (_, place) => emptyAt(startOf(first) + place * sizeMs));
  for (const hour of hours) {
    const span = spans[(startOf(Date.parse(hour.at)) - startOf(first)) / sizeMs];
    if (span) for (const measure of measures) span[measure] += hour[measure];
  }
  return { isByDay, spans };
}

function emptyAt(at: number): Span {
  return { at, sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, unsubscribed: 0 };
}
