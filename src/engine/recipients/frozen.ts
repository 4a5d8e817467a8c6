import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import { type FilterCondition, memberOf, type SegmentSource } from "../../core/audience/condition";
import type { CanaryShare } from "../../core/campaigns/draw";
import { asId, belowAllIds, type Id, newIdAt, publicId, textOf } from "../../core/ids";
import { isJsonObject, type JsonObject } from "../../core/json";
import { audienceOf } from "../../db/audience";
import { maxEvaluatedPerStatement } from "../../db/limits";
import { asNumber, columns, asId as readId } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { loadSegments } from "../audience/named-segments";
import { scanWindow } from "../audience/scan";
import { findScanSource, type ScanSource } from "../audience/scan-source";
import { totalContacts } from "../contacts/total";
import { wantsMail } from "../mail/accept/wanted";

const StoredId = z.string().transform(asId);

/**
 * A snapshot of a campaign and its audience at the time when sending began. It never changes, and is stored as JSON in
 * the campaign's row.
 */
export const Frozen = z.object({
  /** The time of the freeze, to which relative times in the condition refer. */
  at: z.number(),
  /** The newest contact at the time of the freeze. */
  upTo: StoredId,
  /** The condition of the audience; null for all contacts. */
  condition: z.custom<FilterCondition>(isJsonObject).nullable(),
  /** The segments that the condition names, as they were at the freeze. */
  segments: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  source: z.custom<ScanSource>(isJsonObject),
  /** The contents of the variants; only one content for a campaign without variants. */
  contents: z.array(z.object({ contentId: StoredId, weight: z.number() })),
});
export type Frozen = z.infer<typeof Frozen>;

/**
 * The progress of sending. Phases come in this order: "measure" counts the recipients, for a canary; "enumerate"
 * inserts the emails, page by page; "deliver" releases the pages to the consumers of mail. A retry starts with
 * "reopen", then "deliver". A cancelled campaign ends with "cancel".
 */
export interface Progress {
  phase: "measure" | "enumerate" | "deliver" | "reopen" | "cancel";
  /** The cursor: the last contact that is done, or the last page in the phases that go page by page. */
  after: Id;
  /**
   * For each content, how many recipients core/campaigns/draw.ts assigns to each bucket. Set only in the phase
   * "measure".
   */
  drawn?: number[][];
  /** For each content: which recipients belong to the canary, and how many of the last bucket are already taken. */
  canary?: (CanaryShare & { taken: number })[];
  /** When the hold after the canary ends. */
  holdUntil?: number;
  /** Whether the canary has passed, or a person has decided to continue. */
  isCanaryOver?: boolean;
  /** The statuses whose emails a retry reopens. */
  statuses?: string[];
  /** The number of released emails that were open at the last step, and the wait until the next step. */
  open?: number;
  waitMs?: number;
  /** The time of the next step. A message that arrives earlier is a duplicate. */
  lookAt?: number;
}

/**
 * Returns the value as JSON to store. The cast is safe, because the value came from JSON, or becomes JSON unchanged.
 */
export function notes(progress: Progress | Frozen): JsonObject {
  return progress as unknown as JsonObject;
}

export function firstProgress({ canary }: CampaignRow): Progress {
  return { phase: canary === null ? "enumerate" : "measure", after: belowAllIds };
}

const readExtent = columns({ upTo: readId, contacts: asNumber });

/** Freezes a campaign. From then on its recipients depend only on the contacts' own data. */
export async function freeze(ctx: Context, row: CampaignRow): Promise<Frozen> {
  const now = ctx.clock();
  const condition = conditionOf(row);
  const segments = condition === null ? new Map<string, SegmentSource>() : await loadSegments(ctx, condition);
  const { upTo, contacts } = await selectOne(
    ctx.db,
    sql`SELECT coalesce((SELECT max(id) FROM contacts WHERE ${inProject(ctx)}), '') AS up_to,
      ${totalContacts(ctx)} AS contacts`,
    readExtent,
  );
  const audience = frozenAudience({ condition, segments: [...segments], at: now.getTime() });
  const source = await findScanSource(ctx, audience, { contacts, now });
  const weights = row.variants?.map(({ weight }) => weight) ?? [1];
  const contents = weights.map((weight) => ({ contentId: newIdAt(now.getTime()), weight }));
  return { at: now.getTime(), upTo, condition, segments: [...segments], source, contents };
}

function conditionOf({ audienceType, segmentId, audienceCondition }: CampaignRow): FilterCondition | null {
  if (audienceType !== "SEGMENT") return audienceCondition;
  if (segmentId === null) throw new Error("A campaign to a segment has none");
  return memberOf(publicId(segmentId));
}

/** Returns the audience at the freeze, whether its contacts want mail or not. */
export function frozenAudience({ condition, segments, at }: Pick<Frozen, "condition" | "segments" | "at">): Audience {
  if (condition === null)
    return { values: sql`a (v) AS (SELECT '[]')`, matches: sql`true`, filters: 0, lookups: 0, needs: [] };
  return audienceOf(condition, new Map(segments), new Date(at));
}

/** The contacts of the next window of an audience, in the order of their ids. */
export interface AudienceWindow {
  ids: Id[];
  /** Contacts of the audience that do not match the condition `apart`. They are not among `ids`. */
  others: Id[];
  /** The cursor of the next window; null when there are no more contacts. */
  after: Id | null;
}

/**
 * Returns the next window of the audience: `ids` are the recipients, and `others` are the contacts that do not want the
 * campaign's mail.
 */
export function nextRecipients(
  ctx: Context,
  frozen: Frozen,
  { type, topicId }: Pick<CampaignRow, "type" | "topicId">,
  from: Id,
): Promise<AudienceWindow> {
  const [all, apart] = [frozenAudience(frozen), wantsMail({ type, topicId })];
  const audience = frozen.condition === null ? { ...all, filters: 1, lookups: topicId === null ? 0 : 3 } : all;
  return findNext(ctx, frozen, { audience, apart, from });
}

/**
 * Returns the contacts in one window of a frozen audience, up to the newest contact at the time of the freeze. `rows`
 * asks for a smaller window than one statement may read. `apart` is a further condition that separates `ids` from
 * `others`.
 */
export async function findNext(
  ctx: Context,
  { source, upTo }: Frozen,
  { audience, from, rows, apart }: { audience: Audience; from: Id; rows?: number; apart?: SQL },
): Promise<AudienceWindow> {
  const most = maxEvaluatedPerStatement(audience);
  const window = await scanWindow(ctx, audience, source, {
    direction: "up",
    from,
    rows: Math.min(most, rows ?? most),
    want: "ids",
    ...(apart === undefined ? {} : { apart }),
  });
  const inTime = (some: Id[]) => some.filter((id) => textOf(id) <= textOf(upTo)).toSorted(byId);
  const isOver = window.isLast || textOf(window.edge) >= textOf(upTo);
  return { ids: inTime(window.ids), others: inTime(window.others), after: isOver ? null : window.edge };
}

export function byId(one: Id, other: Id): number {
  return textOf(one) < textOf(other) ? -1 : 1;
}
