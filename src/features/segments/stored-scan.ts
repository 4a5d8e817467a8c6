import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import type { SegmentSource } from "../../core/audience/condition";
import { belowAllIds, type Id, asId as idOf } from "../../core/ids";
import { isJsonObject } from "../../core/json";
import { audienceOf } from "../../db/audience";
import { maxEvaluatedPerStatement } from "../../db/limits";
import { asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { loadSegments } from "../../engine/audience/named-segments";
import { scan, scanWindow } from "../../engine/audience/scan";
import { findScanSource, type ScanSource } from "../../engine/audience/scan-source";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { type DynamicSegment, isDynamic, readSegmentAndTotal } from "./segment";

/**
 * A scan of all contacts that the condition of a segment may match, from the oldest to the newest. Every contact is
 * evaluated at the same moment. A scan is plain data, so a job can store it between two steps.
 */
export const StoredScan = z.object({
  /** The segment as it was when the scan began. Each step that writes checks that the segment has not changed since. */
  segment: z.custom<DynamicSegment>(),
  /** The segments that the condition names. When one of them changes during the scan, the next scan sees the change. */
  named: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  source: z.custom<ScanSource>(isJsonObject),
  at: z.number(),
  /** A text for the state of everything that the condition reads, as it was when the scan began; see `freshness`. */
  of: z.string(),
  /** Contacts up to this id are done: `passed` rows of the source, with `matching` matches. */
  after: z.string().transform(idOf),
  passed: z.number(),
  matching: z.number(),
});
export type StoredScan = z.infer<typeof StoredScan>;

const readFresh = columns({ fresh: asText });

/**
 * Begins a scan. Null when the segment was deleted, is not dynamic, or is not tracked although `onlyTracked` is true.
 */
export async function beginScan(
  ctx: Context,
  segmentId: Id,
  { onlyTracked = false }: { onlyTracked?: boolean } = {},
): Promise<StoredScan | null> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT *, ${freshness(sql`segments`)} AS fresh, ${totalContacts(ctx)} AS contacts
      FROM segments WHERE ${inProject(ctx)} AND id = ${segmentId}`,
    (raw) => ({ ...readSegmentAndTotal(raw), ...readFresh(raw) }),
  );
  if (!found) return null;
  const { segment, contacts, fresh } = found;
  if (!isDynamic(segment) || (onlyTracked && !segment.trackMembership)) return null;
  const now = ctx.clock();
  const named = await loadSegments(ctx, segment.condition);
  const source = await findScanSource(ctx, audienceOf(segment.condition, named, now), { contacts, now });
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

function audienceFor({ segment, named, at }: StoredScan): Audience {
  return audienceOf(segment.condition, new Map(named), new Date(at));
}

/** The maximum number of statements of one call. D1 allows a thousand. */
const maxWindows = 150;

/** Scans all at once. Returns the number of matches; null when there is too much to scan in one call. */
export async function scanWhole(ctx: Context, begun: StoredScan, maxRows: number): Promise<number | null> {
  const { source } = begun;
  const audience = audienceFor(begun);
  const windows = Math.ceil(source.rows / maxEvaluatedPerStatement(audience));
  if (source.rows > maxRows || windows > maxWindows) return null;
  let matching = 0;
  // A full window does not show that it is the last, so the scan may need one window more.
  for await (const window of scan(ctx, audience, source, { maxWindows: maxWindows + 1 }, { direction: "up" })) {
    matching += window.matched;
    if (window.isLast) return matching;
  }
  return null;
}

/** The next window of a scan, as a step receives it. */
export interface NextWindow {
  /** The scan after this window. */
  scan: StoredScan;
  isLast: boolean;
  /** Progress of the whole scan, in percent. */
  progress: number;
  /** Ids of the matches, when the step wants them. */
  ids: Id[];
}

/** Scans the next window. See `ScanOptions` for `want` and `secondSource`. */
export async function scanNext(
  ctx: Context,
  stored: StoredScan,
  { want, secondSource }: { want?: "ids"; secondSource?: ScanSource },
): Promise<NextWindow> {
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
