/** The counters of a campaign that count by hour, in the order in which pages of the ledger store them. */
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
