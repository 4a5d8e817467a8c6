/** The counters of a campaign that are also counted by hour, in the order in which they are stored. */
export const hourCounters = [
  "sent",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "complained",
  "unsubscribed",
] as const;
export type HourCounter = (typeof hourCounters)[number];
export type HourCounts = Record<HourCounter, number>;
