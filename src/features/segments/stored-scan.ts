import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import type { SegmentSource } from "../../core/audience/resolver";
import { belowAllIds, type Id, asId as idOf } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { audienceOf } from "../../db/audience";
import { maxEvaluatedPerStatement } from "../../db/limits";
import { asText, columns } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import { loadSegments } from "../../engine/audience/named-segments";
import { scanWindow } from "../../engine/audience/scan";
import { findScanSource, type ScanSource } from "../../engine/audience/scan-source";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { type Dynamic, isDynamic, readSegmentAndTotal } from "./segment";

/**
 * A scan of all contacts for whom the condition of a segment may hold, from the oldest to the newest. It asks each as of
 * one moment. It is plain data, and so may be stored in a job between two steps.
 */
export const StoredScan = z.object({
  /** As it was at the beginning: a step that writes makes sure that it still is. */
  segment: z.custom<Dynamic>(),
  /** What its condition names. When one of these changes on the way, the next scan sees it. */
  named: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  source: z.custom<ScanSource>(isJsonObject),
  at: z.number(),
  /** What the condition reads was at the beginning; see `freshness`. */
  of: z.string(),
  /** Contacts up to this id are done: so many rows of the source were read, and so many contacts match. */
  after: z.string().transform(idOf),
  passed: z.number(),
  matching: z.number(),
});
export type StoredScan = z.infer<typeof StoredScan>;

const readFresh = columns({ fresh: asText });

/** Null when there is no such dynamic segment any more. */
export async function beginScan(
  ctx: Context,
  segmentId: Id,
  { onlyTracked = false }: { onlyTracked?: boolean } = {},
): Promise<StoredScan | null> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT *, ${freshness(sql`segments`)} AS fresh, ${totalContacts(ctx)} AS contacts
      FROM segments WHERE project_id = ${ctx.project.number} AND id = ${segmentId}`,
    (raw) => ({ ...readSegmentAndTotal(raw), ...readFresh(raw) }),
  );
  if (!found) return null;
  const { segment, contacts, fresh } = found;
  if (!isDynamic(segment) || (onlyTracked && !segment.trackMembership)) return null;
  const now = ctx.clock();
  const named = await loadSegments(ctx, segment.condition);
  const source = await findScanSource(ctx, segment.condition, { segments: named, contacts, now });
  return {
    segment,
    named: [...named],
    source,
    at: now.getTime(),
    of: fresh,
    after: belowAllIds,
    passed: 0,
    matching: 0,
  };
}

export function audienceFor({ segment, named, at }: StoredScan): Audience {
  return audienceOf(segment.condition, new Map(named), new Date(at));
}

/** What a step is told of the next window. */
export interface Next {
  /** The scan after this window. */
  scan: StoredScan;
  isLast: boolean;
  /** Of the whole scan, in percent. */
  progress: number;
  /** Who matches, when that was asked for. */
  ids: Id[];
}

/** Scans the next window. See `ScanOptions` for what may be asked. */
export async function scanNext(
  ctx: Context,
  stored: StoredScan,
  { want, secondSource }: { want?: "ids"; secondSource?: ScanSource },
): Promise<Next> {
  const { source, after: from } = stored;
  const audience = audienceFor(stored);
  const rows = maxEvaluatedPerStatement(audience);
  const window = await scanWindow(ctx, audience, source, { direction: "up", from, rows, want, secondSource });
  const passed = stored.passed + rows;
  return {
    scan: { ...stored, after: window.edge, passed, matching: stored.matching + window.matched },
    isLast: window.isLast,
    progress: (100 * passed) / Math.max(passed, source.rows),
    ids: window.ids,
  };
}
