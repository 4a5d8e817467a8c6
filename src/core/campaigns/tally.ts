import { flaws } from "../mail/flaws";
import { suppressionReasons } from "../mail/suppression-reasons";

/** Why somebody in the audience of a campaign would get no mail. */
export const skipReasons = [
  "unsubscribed",
  "snoozed",
  "not_in_topic",
  ...suppressionReasons.map((reason) => `suppressed_${reason}` as const),
  "monthly_limit",
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** What a pre-flight warns of. Mail of which that is true is sent all the same. */
export const warningCodes = [
  ...flaws,
  "missing_unsubscribe_link",
  "missing_postal_address",
  "missing_company",
  "public_source",
  "sending_paused",
  "disabled",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Something that was found, how often, and the first contacts of whom it is true. */
export interface Finding {
  name: string;
  count: number;
  contactIds: string[];
}

/** What a pre-flight has found so far. It is plain data. */
export interface Tally {
  /** Everybody in the audience, whether they would get mail or not. */
  recipients: number;
  /** Those whose mail was composed. */
  composed: number;
  clipped: number;
  skipped: Partial<Record<SkipReason, number>>;
  warnings: Partial<Record<WarningCode, number>>;
  /** The links and images that warnings are about. */
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

/** Gmail cuts a mail after 102 KB of HTML, and hides the rest behind a link. */
export const maxHtmlBytes = 102 * 1024;

const maxExamples = 5;
const maxNameLength = 300;

/** So many variables and errors are told one by one; what is found after that counts together. */
export const maxFindings = { missing: 100, renderErrors: 50 };

/** No variable has such a name. */
export const otherFindings = "(others)";

/** Counts one more, in place. */
export function count<Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Notes a warning of one mail, in place, with the links or images that it is about. */
export function warn(tally: Tally, code: WarningCode, examples: string[]): void {
  count(tally.warnings, code);
  const all = new Set([...(tally.examples[code] ?? []), ...examples]);
  tally.examples[code] = [...all].slice(0, maxExamples);
}

/** Notes a finding of a contact, in place. A template may name any number of things, and a job's row holds only some. */
export function note(findings: Finding[], written: string, contactId: string, most: number): void {
  const name = written.slice(0, maxNameLength);
  const known = findings.find((finding) => finding.name === name);
  const others = findings.find((finding) => finding.name === otherFindings);
  const finding = known ?? (findings.length < most ? undefined : others);
  if (finding === undefined) {
    findings.push({ name: findings.length < most ? name : otherFindings, count: 1, contactIds: [contactId] });
    return;
  }
  finding.count += 1;
  if (finding.contactIds.length < maxExamples && finding.contactIds.at(-1) !== contactId)
    finding.contactIds.push(contactId);
}
