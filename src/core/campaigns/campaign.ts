/** The audience of a campaign: all contacts, the members of a segment, or the contacts that match a condition. */
export const audienceTypes = ["ALL", "SEGMENT", "FILTERED"] as const;
export type AudienceType = (typeof audienceTypes)[number];

/**
 * One of several versions of a campaign's email. A field that is left out has the value of the campaign. A variant's
 * own body is in `body` or, when large, in a file under `bodyKey`.
 */
export interface StoredVariant {
  name: string;
  /** From 1 to 100, relative to the weights of the other variants. */
  weight: number;
  subject?: string;
  body?: string;
  bodyKey?: string;
  from?: string;
}

/** The files that the bodies of a campaign name: its own, and those of its variants. */
export interface NamedFiles {
  own: string[];
  variants: string[];
}

/** How a campaign is sent to a share of the recipients first, while the others wait for the results. */
export interface Canary {
  /** From 1 to 50. */
  percent: number;
  /** From 1 to 1440. */
  holdMinutes: number;
  /** The highest rate that is accepted, as a percentage of the sent emails, like `maxComplaintRate`. */
  maxBounceRate?: number;
  maxComplaintRate?: number;
}
