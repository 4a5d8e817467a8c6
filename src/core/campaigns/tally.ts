import { flaws } from "../mail/flaws";
import { suppressionReasons } from "../mail/suppression-reasons";

/** Why a contact in a campaign's audience would get no mail. */
export const skipReasons = [
  "unsubscribed",
  "snoozed",
  "not_in_topic",
  ...suppressionReasons.map((reason) => `suppressed_${reason}` as const),
  "monthly_limit",
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** The warnings of a pre-flight check. Mail with a warning is sent nevertheless. */
export const warningCodes = [
  ...flaws,
  "missing_unsubscribe_link",
  "missing_postal_address",
  "missing_company",
  "public_source",
  "sending_paused",
  "no_marketing_provider",
  "disabled",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** A finding, how often it occurred, and the first contacts that it concerns. */
export interface Finding {
  name: string;
  count: number;
  contactIds: string[];
}

/** The findings of a pre-flight check so far, as plain data that a job can store. */
export interface Tally {
  /** The number of contacts in the audience, whether or not they would get mail. */
  recipients: number;
  /** The number of contacts whose mail was composed. */
  composed: number;
  clipped: number;
  skipped: Partial<Record<SkipReason, number>>;
  warnings: Partial<Record<WarningCode, number>>;
  /** The links and images to which warnings refer. */
  examples: Partial<Record<WarningCode, string[]>>;
  missing: Finding[];
  renderErrors: Finding[];
}

export function emptyTally(): Tally {
  return {
    recipients: 0,
    composed: 0,
    clipped: 0,
    skipped: {},
    warnings: {},
    examples: {},
    missing: [],
    renderErrors: [],
  };
}

/** Gmail clips an email after 102 KB of HTML, and hides the rest behind a link. */
export const maxHtmlBytes = 102 * 1024;

const maxExamples = 5;
const maxNameLength = 300;

/** Limits on the variables and errors that are reported one by one; further ones are counted together. */
export const maxFindings = { missing: 100, renderErrors: 50 };

/** The name that stands for all further findings. No variable can have this name. */
export const otherFindings = "(others)";

/** Increments a counter, in place. */
export function count<Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Adds a warning about one email, in place, with the links or images that it concerns. */
export function warn(tally: Tally, code: WarningCode, examples: string[]): void {
  count(tally.warnings, code);
  const all = new Set([...(tally.examples[code] ?? []), ...examples]);
  tally.examples[code] = [...all].slice(0, maxExamples);
}

/**
 * Adds a finding about a contact, in place. A template can name any number of variables, but a job's row is limited in
 * size. Findings beyond `max` are therefore counted together.
 */
export function note(findings: Finding[], text: string, contactId: string, max: number): void {
  const name = text.slice(0, maxNameLength);
  const existing = findings.find((finding) => finding.name === name);
  const others = findings.find((finding) => finding.name === otherFindings);
  const finding = existing ?? (findings.length < max ? undefined : others);
  if (finding === undefined) {
    findings.push({ name: findings.length < max ? name : otherFindings, count: 1, contactIds: [contactId] });
    return;
  }
  finding.count += 1;
  if (finding.contactIds.length < maxExamples && finding.contactIds.at(-1) !== contactId)
    finding.contactIds.push(contactId);
}
