/** Whom a campaign goes to: all contacts, those of a segment, or those for whom a condition holds. */
export const audienceTypes = ["ALL", "SEGMENT", "FILTERED"] as const;
export type AudienceType = (typeof audienceTypes)[number];

/**
 * One of several versions of a campaign's mail. What it leaves out is the campaign's. Its own body is in `body`, or, when
 * it is large, in a file under `bodyKey`.
 */
export interface StoredVariant {
  name: string;
  /** From 1 to 100, relative to the others'. */
  weight: number;
  subject?: string;
  body?: string;
  bodyKey?: string;
  from?: string;
}

/** A part of the recipients gets the mail first, and the others wait for what becomes of it. */
export interface Canary {
  /** From 1 to 50. */
  percent: number;
  /** From 1 to 1440. */
  holdMinutes: number;
  /** In percent of those sent, like `maxComplaintRate`. */
  maxBounceRate?: number;
  maxComplaintRate?: number;
}
