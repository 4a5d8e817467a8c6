import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import type { FilterCondition } from "../../core/audience/condition";
import type { SegmentSource } from "../../core/audience/resolver";
import type { CanaryShare } from "../../core/campaigns/draw";
import { asId, belowAllIds, type Id, newIdAt, publicId } from "../../core/ids";
import { isJsonObject, type JsonObject } from "../../core/json";
import type { EmailType } from "../../core/mail/status";
import { audienceOf } from "../../db/audience";
import { asNumber, columns, asId as readId } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { isInTopic } from "../../db/topics";
import { loadSegments } from "../../engine/audience/named-segments";
import { findScanSource, type ScanSource } from "../../engine/audience/scan-source";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";

const StoredId = z.string().transform(asId);

/** What a campaign was when sending began, and to whom it goes. It never changes. It is plain data, in the campaign's row. */
export const Frozen = z.object({
  /** When that was: time windows count from then. */
  at: z.number(),
  /** The newest contact of that time. */
  upTo: StoredId,
  /** Null for everybody. */
  condition: z.custom<FilterCondition>(isJsonObject).nullable(),
  /** What the condition names, as it was. */
  segments: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  source: z.custom<ScanSource>(isJsonObject),
  /** The contents of the variants, or the one content of all. */
  contents: z.array(z.object({ contentId: StoredId, weight: z.number() })),
});
export type Frozen = z.infer<typeof Frozen>;

/**
 * Where sending stands. Phases come in this order: "measure" counts the recipients, for a canary; "enumerate" writes the
 * ledger; "deliver" gives page after page to the consumers of mail. "reopen" goes before "deliver" when a campaign is
 * retried, and "cancel" is the last one of a campaign that is cancelled.
 */
export interface Progress {
  phase: "measure" | "enumerate" | "deliver" | "reopen" | "cancel";
  /** Contacts up to this one are done; in the phases over pages, pages up to this one. */
  after: Id;
  /** How many recipients are in each stretch of draws, by content. Only while that is counted. */
  drawn?: number[][];
  /** Who goes first, by content, and how many of the last stretch are taken already. */
  canary?: (CanaryShare & { taken: number })[];
  /** When the hold after the canary ends. */
  holdUntil?: number;
  /** The canary is over, well or by a person's decision. */
  isCanaryOver?: boolean;
  /** What a retry opens again. */
  statuses?: string[];
  /** The mails that were out with the consumers at the last look, and how long until the next one. */
  open?: number;
  waitMs?: number;
  /** When that is: a message that comes earlier is one too many. */
  lookAt?: number;
}

/** As it is stored: whatever is in it came out of JSON, or goes into it as it is. */
export function notes(progress: Progress | Frozen): JsonObject {
  return progress as unknown as JsonObject;
}

export function firstProgress({ canary }: CampaignRow): Progress {
  return { phase: canary === null ? "enumerate" : "measure", after: belowAllIds };
}

const readExtent = columns({ upTo: readId, contacts: asNumber });

/** Freezes a campaign: who its recipients are from now on depends on nothing that people can change, but their own data. */
export async function freeze(ctx: Context, row: CampaignRow): Promise<Frozen> {
  const now = ctx.clock();
  const condition = conditionOf(row);
  const segments = condition === null ? new Map<string, SegmentSource>() : await loadSegments(ctx, condition);
  const { upTo, contacts } = await selectOne(
    ctx.db,
    sql`SELECT coalesce((SELECT max(id) FROM contacts WHERE project_id = ${ctx.project.number}), '') AS up_to,
      ${totalContacts(ctx)} AS contacts`,
    readExtent,
  );
  const source: ScanSource =
    condition === null
      ? { over: "contacts", rows: contacts }
      : await findScanSource(ctx, condition, { segments, contacts, now });
  const weights = row.variants?.map(({ weight }) => weight) ?? [1];
  const contents = weights.map((weight) => ({ contentId: newIdAt(now.getTime()), weight }));
  return { at: now.getTime(), upTo, condition, segments: [...segments], source, contents };
}

function conditionOf({ audienceType, segmentId, audienceCondition }: CampaignRow): FilterCondition | null {
  if (audienceType !== "SEGMENT") return audienceCondition;
  if (segmentId === null) throw new Error("A campaign to a segment has none");
  const field = `segment.${publicId(segmentId)}`;
  return { logic: "AND", groups: [{ filters: [{ field, operator: "memberOfSegment" }] }] };
}

/** Whether a contact `c` is one to whom such mail may go: TRANSACTIONAL to all, other mail to who is subscribed, and in its topic. */
export function wantsMail(type: EmailType, topicId: Id | null): SQL {
  if (type === "TRANSACTIONAL") return sql`true`;
  if (topicId === null) return sql`c.subscribed`;
  const isIn = isInTopic({ projectId: sql`c.project_id`, contactId: sql`c.id`, topic: { id: sql`${topicId}` } });
  return sql`(c.subscribed AND coalesce(${isIn}, true))`;
}

/** The contacts `c` of the audience as of when it was frozen, whether they want mail or not. */
export function everybodyOf({ condition, segments, at }: Frozen): Audience {
  if (condition === null) return { values: sql`a (v) AS (SELECT '[]')`, matches: sql`true`, filters: 0, lookups: 0 };
  return audienceOf(condition, new Map(segments), new Date(at));
}

/** The audience, and which of it a campaign goes to. TRANSACTIONAL ones also go to the unsubscribed. */
export function recipientsOf(
  frozen: Frozen,
  { type, topicId }: Pick<CampaignRow, "type" | "topicId">,
): { audience: Audience; apart: SQL } {
  const [everybody, apart] = [everybodyOf(frozen), wantsMail(type, topicId)];
  if (frozen.condition !== null) return { audience: everybody, apart };
  return { audience: { ...everybody, filters: 1, lookups: topicId === null ? 0 : 3 }, apart };
}
