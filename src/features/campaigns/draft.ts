import type { FilterCondition } from "../../core/audience/condition";
import { bodyFileName } from "../../core/campaigns/body-file";
import type { AudienceType, NamedFiles, StoredVariant } from "../../core/campaigns/campaign";
import { BadRequest } from "../../core/errors";
import { filesNamedIn } from "../../core/files/address";
import { type Id, newIdAt } from "../../core/ids";
import { type ContentColumns, changeContent, contentColumns } from "../../core/mail/content-fields";
import type { CampaignRow } from "../../db/tables";
import { checkContent } from "../../engine/mail/accept/check-liquid";
import { forgetBody, type StoredBody, storeBody } from "../../engine/mail/body";
import { getTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import type { ReplaceCampaign, Variant } from "./schema";

/** The fields of a campaign that people edit. */
const draftFields = [
  ...(["name", "description", "type", "templateId", "topicId"] as const),
  ...contentColumns,
  ...(["body", "bodyKey", "files"] as const),
  ...(["audienceType", "segmentId", "audienceCondition", "variants", "canary"] as const),
] as const;
export type Draft = Pick<CampaignRow, (typeof draftFields)[number]>;

/** Returns the fields that people edit, without the other columns of a campaign's row. */
export function fieldsOf(draft: Draft): Draft {
  // `draftFields` contains every key of a draft.
  return Object.fromEntries(draftFields.map((field) => [field, draft[field]])) as Draft;
}

/** The bodies of a call. Their files are stored before the rows that name them. */
export interface StoredBodies {
  own: StoredBody | null;
  variants: StoredVariant[] | null;
  /** The uploaded files that the variants' bodies name. */
  filesOfVariants: string[];
}

/** Refuses Liquid that cannot be rendered, and stores large bodies in files of the campaign. Writes no rows. */
export async function storeBodies(
  ctx: Context,
  id: Id,
  given: Pick<ReplaceCampaign, "subject" | "previewText" | "body" | "variants">,
): Promise<StoredBodies> {
  const { body, variants } = given;
  checkContent(ctx, given);
  for (const [index, variant] of (variants ?? []).entries()) checkContent(ctx, variant, `variants.${index}.`);
  const own = body === undefined ? null : await storeOne(ctx, id, body);
  const stored: StoredVariant[] = [];
  for (const variant of variants ?? []) stored.push(await storeVariant(ctx, id, variant));
  const bodies = (variants ?? []).flatMap((variant) => variant.body ?? []);
  const filesOfVariants = [...new Set(bodies.flatMap((each) => filesNamedIn(each, ctx.project.id)))];
  return { own, variants: variants ? stored : null, filesOfVariants };
}

function storeOne(ctx: Context, id: Id, body: string): Promise<StoredBody> {
  return storeBody(ctx, "campaign", bodyFileName(id, newIdAt(ctx.now.getTime())), body);
}

async function storeVariant(ctx: Context, id: Id, { body, ...variant }: Variant): Promise<StoredVariant> {
  if (body === undefined) return variant;
  const stored = await storeOne(ctx, id, body);
  return { ...variant, ...(stored.bodyKey === null ? { body } : { bodyKey: stored.bodyKey }) };
}

/** Deletes the files of a refused call, which wrote no row. */
export function forgetBodies(ctx: Context, { own, variants }: Pick<StoredBodies, "own" | "variants">): void {
  for (const bodyKey of [own?.bodyKey, ...(variants ?? []).map(({ bodyKey }) => bodyKey)])
    if (bodyKey) forgetBody(ctx, { bodyKey });
}

/**
 * Returns the draft that results from a call. Fields that the call leaves out come from the template that it names, or
 * otherwise keep their values. Throws BadRequest for an audience that lacks its segment or condition, and NotFound if
 * the template does not exist.
 */
export async function draftOf(
  ctx: Context,
  given: ReplaceCampaign,
  bodies: StoredBodies,
  before: Draft | null,
): Promise<Draft> {
  const template = given.templateId ? await getTemplate(ctx, given.templateId) : null;
  const base: DraftBase | null = template
    ? { ...template.content, topicId: template.row.topicId, files: ownFiles(template.content.files) }
    : before;
  return {
    name: given.name ?? required(before?.name),
    description: given.description === undefined ? (before?.description ?? null) : given.description || null,
    ...changeContent(given, base),
    body: (bodies.own ?? base)?.body ?? null,
    bodyKey: (bodies.own ?? base)?.bodyKey ?? null,
    files: filesOf(
      bodies.own ? bodies.own.files : base?.files?.own,
      given.variants === undefined ? before?.files?.variants : bodies.filesOfVariants,
    ),
    type: given.type ?? base?.type ?? "MARKETING",
    templateId: given.templateId === undefined ? (before?.templateId ?? null) : given.templateId,
    topicId: given.topicId === undefined ? (base?.topicId ?? null) : given.topicId,
    ...audienceOf(given, before),
    variants: given.variants === undefined ? (before?.variants ?? null) : bodies.variants,
    canary: given.canary === undefined ? (before?.canary ?? null) : given.canary,
  };
}

type DraftBase = Pick<Draft, keyof ContentColumns | "body" | "bodyKey" | "type" | "topicId" | "files">;

function ownFiles(named: string[] | null): NamedFiles | null {
  return named && { own: named, variants: [] };
}

function filesOf(own: string[] | null | undefined, variants: string[] | undefined): NamedFiles | null {
  const files = { own: own ?? [], variants: variants ?? [] };
  return files.own.length + files.variants.length > 0 ? files : null;
}

/** Returns a value that the schema requires on creation. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("A campaign without a required field got past its schema");
  return value;
}

interface DraftAudience {
  audienceType: AudienceType;
  segmentId: Id | null;
  audienceCondition: FilterCondition | null;
}

/**
 * Returns the audience. A SEGMENT has the field `segmentId`, a FILTERED audience has `audienceCondition`, and other
 * types have neither.
 */
function audienceOf(given: ReplaceCampaign, before: Draft | null): DraftAudience {
  const audienceType = given.audienceType ?? required(before?.audienceType);
  const unchanged = before?.audienceType === audienceType ? before : null;
  const segmentId = given.segmentId === undefined ? (unchanged?.segmentId ?? null) : given.segmentId;
  const condition =
    given.audienceCondition === undefined ? (unchanged?.audienceCondition ?? null) : given.audienceCondition;
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

/** Adds a warning for a segment or condition that was not stored, because the type of audience does not use it. */
export function warnOfIgnored(
  ctx: Context,
  given: ReplaceCampaign,
  { audienceType }: Pick<Draft, "audienceType">,
): void {
  const message = `This field was not stored, because a campaign to ${audienceType} does not use it.`;
  if (audienceType !== "SEGMENT" && given.segmentId) ctx.warnings.push({ field: "segmentId", message });
  if (audienceType !== "FILTERED" && given.audienceCondition)
    ctx.warnings.push({ field: "audienceCondition", message });
}
