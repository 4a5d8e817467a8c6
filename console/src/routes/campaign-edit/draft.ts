import type { Campaign, ReplaceCampaign } from "petrel-client";

/** The fields that the page writes. All other fields of a campaign stay unchanged. */
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
  "canary",
  "body",
] as const;
export type Field = (typeof fields)[number];
export type Draft = Pick<Campaign, Field>;

export function draftOf(campaign: Draft): Draft {
  return pick(campaign, fields);
}

/** Returns some fields of a draft. */
export function pick<Name extends Field>(draft: Draft, names: readonly Name[]): Pick<Draft, Name> {
  // Each name is a field of the draft.
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Pick<Draft, Name>;
}

/**
 * Together, these fields determine the audience. Half of one audience and half of another would mail people whom nobody
 * chose.
 */
const ofAudience: readonly Field[] = ["audienceType", "segmentId", "audienceCondition"];

/** Adds the remaining audience fields if some of them are included. */
export function withWholeAudience(some: readonly Field[]): Field[] {
  const isAudience = some.some((field) => ofAudience.includes(field));
  return fields.filter((field) => some.includes(field) || (isAudience && ofAudience.includes(field)));
}

/** Returns the fields that differ. An audience differs as a whole. */
export function changedFields(from: Draft, to: Draft): Field[] {
  return withWholeAudience(fields.filter((field) => !isSame(from[field], to[field])));
}

/** Returns the call that changes one draft into the other. */
export function changesOf(from: Draft, to: Draft): ReplaceCampaign {
  return pick(to, changedFields(from, to));
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
