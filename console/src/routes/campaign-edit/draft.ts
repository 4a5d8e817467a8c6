import type { Campaign, ReplaceCampaign } from "petrel-client";

/** What is written on the page. The rest of a campaign, such as its canary, stays as it is. */
const fields = [
  "name",
  "subject",
  "previewText",
  "from",
  "fromName",
  "replyTo",
  "type",
  "topicId",
  "audienceType",
  "segmentId",
  "audienceCondition",
  "variants",
  "body",
] as const;
export type Field = (typeof fields)[number];
export type Draft = Pick<Campaign, Field>;

export function draftOf(campaign: Draft): Draft {
  return pick(campaign, fields);
}

/** Takes some fields of a draft. */
export function pick<Name extends Field>(draft: Draft, names: readonly Name[]): Pick<Draft, Name> {
  // Each name is one of the draft's.
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Pick<Draft, Name>;
}

export function changedFields(from: Draft, to: Draft): Field[] {
  return fields.filter((field) => !isSame(from[field], to[field]));
}

/** The call that makes the one into the other. The parts of an audience go together. */
export function changesOf(from: Draft, to: Draft): ReplaceCampaign {
  const changed = changedFields(from, to);
  const isAudience = changed.some((field) => field === "audienceType" || field === "segmentId");
  return pick(to, isAudience ? [...changed, "audienceType", "segmentId"] : changed);
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
