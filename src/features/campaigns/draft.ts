import type { FilterCondition } from "../../core/audience/condition";
import type { AudienceType, StoredVariant } from "../../core/campaigns/campaign";
import { BadRequest } from "../../core/errors";
import { type Id, newIdAt } from "../../core/ids";
import type { CampaignRow, VersionRow } from "../../db/tables";
import { forgetBody, type StoredBody, storeBody } from "../../engine/mail/body";
import { checkLiquid } from "../../engine/mail/check-liquid";
import type { Context } from "../../platform/context";
import { getTemplate } from "../templates/template";
import type { ReplaceCampaign, Variant } from "./schema";

/** The part of a campaign that people write. */
export type Draft = Pick<
  CampaignRow,
  | "name"
  | "description"
  | "subject"
  | "previewText"
  | "body"
  | "bodyKey"
  | "fromEmail"
  | "fromName"
  | "replyTo"
  | "type"
  | "templateId"
  | "topicId"
  | "audienceType"
  | "segmentId"
  | "audienceCondition"
  | "variants"
  | "canary"
>;

/** The bodies of a call, stored before the rows that name their files. */
export interface GivenBodies {
  own: StoredBody | null;
  variants: StoredVariant[] | null;
}

/** Refuses Liquid that cannot be rendered, and stores what is large. Nothing else is written. */
export async function storeBodies(
  ctx: Context,
  { subject, previewText, body, variants }: Pick<ReplaceCampaign, "subject" | "previewText" | "body" | "variants">,
): Promise<GivenBodies> {
  checkContent(ctx, "", { subject, body });
  if (previewText) checkLiquid(ctx, "previewText", previewText, "text");
  for (const [index, variant] of (variants ?? []).entries()) checkContent(ctx, `variants.${index}.`, variant);
  const own = body === undefined ? null : await storeBody(ctx, "campaign", newIdAt(ctx.now.getTime()), body);
  const stored: StoredVariant[] = [];
  for (const variant of variants ?? []) stored.push(await storeVariant(ctx, variant));
  return { own, variants: variants ? stored : null };
}

function checkContent(ctx: Context, at: string, { subject, body }: { subject?: string; body?: string }): void {
  if (subject !== undefined) checkLiquid(ctx, `${at}subject`, subject, "text");
  if (body !== undefined) checkLiquid(ctx, `${at}body`, body, "html");
}

async function storeVariant(ctx: Context, { body, ...variant }: Variant): Promise<StoredVariant> {
  if (body === undefined) return variant;
  const stored = await storeBody(ctx, "campaign", newIdAt(ctx.now.getTime()), body);
  return { ...variant, ...(stored.bodyKey === null ? { body } : { bodyKey: stored.bodyKey }) };
}

/** Called after a refusal, which wrote no row. */
export function forgetBodies(ctx: Context, { own, variants }: GivenBodies): void {
  for (const bodyKey of [own?.bodyKey, ...(variants ?? []).map(({ bodyKey }) => bodyKey)])
    if (bodyKey) forgetBody(ctx, { body: null, bodyKey });
}

/**
 * What a call makes of a campaign, or of none: fields that it leaves out come from the template that it names, and else
 * stay. Throws BadRequest for an audience without what its type needs, and NotFound for the template.
 */
export async function draftOf(
  ctx: Context,
  given: ReplaceCampaign,
  bodies: GivenBodies,
  before: Draft | null,
): Promise<Draft> {
  const template = given.templateId ? await getTemplate(ctx, given.templateId) : null;
  const base: Base | null = template ? { ...template.content, topicId: template.row.topicId } : before;
  return {
    name: given.name ?? required(before?.name),
    description: given.description === undefined ? (before?.description ?? null) : given.description || null,
    subject: given.subject ?? required(base?.subject),
    ...(bodies.own ?? { body: base?.body ?? null, bodyKey: base?.bodyKey ?? null }),
    fromEmail: given.from ?? required(base?.fromEmail),
    previewText: orCleared(given.previewText, base?.previewText),
    fromName: orCleared(given.fromName, base?.fromName),
    replyTo: orCleared(given.replyTo, base?.replyTo),
    type: given.type ?? base?.type ?? "MARKETING",
    templateId: given.templateId === undefined ? (before?.templateId ?? null) : given.templateId,
    topicId: given.topicId === undefined ? (base?.topicId ?? null) : given.topicId,
    ...audienceOf(given, before),
    variants: given.variants === undefined ? (before?.variants ?? null) : bodies.variants,
    canary: given.canary === undefined ? (before?.canary ?? null) : given.canary,
  };
}

type Base = Pick<
  VersionRow & Draft,
  "subject" | "body" | "bodyKey" | "previewText" | "fromEmail" | "fromName" | "replyTo" | "type" | "topicId"
>;

/** The schema asks for these fields on creation. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("A campaign without a required field got past its schema");
  return value;
}

function orCleared(given: string | null | undefined, before: string | null | undefined): string | null {
  return given === undefined ? (before ?? null) : given || null;
}

interface Audience {
  audienceType: AudienceType;
  segmentId: Id | null;
  audienceCondition: FilterCondition | null;
}

/** Each type has one companion field, or none. */
function audienceOf(given: ReplaceCampaign, before: Draft | null): Audience {
  const audienceType = given.audienceType ?? required(before?.audienceType);
  const kept = before?.audienceType === audienceType ? before : null;
  const segmentId = given.segmentId === undefined ? (kept?.segmentId ?? null) : given.segmentId;
  const condition = given.audienceCondition === undefined ? (kept?.audienceCondition ?? null) : given.audienceCondition;
  if (audienceType === "SEGMENT" && segmentId === null) throw missing("segmentId", audienceType);
  if (audienceType === "FILTERED" && condition === null) throw missing("audienceCondition", audienceType);
  return {
    audienceType,
    segmentId: audienceType === "SEGMENT" ? segmentId : null,
    audienceCondition: audienceType === "FILTERED" ? condition : null,
  };
}

function missing(field: string, audienceType: AudienceType): BadRequest {
  return new BadRequest(`${field} is required when audienceType is ${audienceType}. Nothing was saved.`, {
    suggestion: `Send ${field}, or set audienceType to ALL.`,
    details: { field },
  });
}

/** A companion field of another type of audience is not stored, and the answer says so. */
export function warnOfIgnored(
  ctx: Context,
  given: ReplaceCampaign,
  { audienceType }: Pick<Draft, "audienceType">,
): void {
  const message = `It was not stored, because a campaign to ${audienceType} does not use it.`;
  if (audienceType !== "SEGMENT" && given.segmentId) ctx.warnings.push({ field: "segmentId", message });
  if (audienceType !== "FILTERED" && given.audienceCondition)
    ctx.warnings.push({ field: "audienceCondition", message });
}
