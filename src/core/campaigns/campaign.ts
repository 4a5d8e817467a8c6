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

/** The files that the campaign's own body names, and those that the bodies of its variants name. */
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
  /** The highest bounce and complaint rates that are accepted, as percentages of the sent emails. */
  maxBounceRate?: number;
  maxComplaintRate?: number;
}
