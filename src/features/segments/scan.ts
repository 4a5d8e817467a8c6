import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Audience } from "../../core/audience/compile";
import type { SegmentSource } from "../../core/audience/resolver";
import { isJsonObject } from "../../core/json";
import { audienceOf } from "../../db/audience";
import { maxAskedPerStatement } from "../../db/limits";
import { asJson, asNumber, asText, columns, orNull } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import { loadSegments } from "../../engine/audience/named-segments";
import { findScanSource, type ScanSource } from "../../engine/audience/scan-source";
import { aboveAll, belowAll, windowUp } from "../../engine/audience/scan-window";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { type Dynamic, isDynamic, readSegmentAndTotal } from "./segment";

/**
 * A scan of all contacts for whom the condition of a segment may hold, by id. It asks each as of one moment. It is plain
 * data, and so may be stored in a job between two steps.
 */
export const Scan = z.object({
  /** As it was at the beginning: a step that writes makes sure that it still is. */
  segment: z.custom<Dynamic>(),
  /** What its condition names. When one of these changes on the way, the next scan sees it. */
  named: z.array(z.tuple([z.string(), z.custom<SegmentSource>()])),
  source: z.custom<ScanSource>(isJsonObject),
  at: z.number(),
  /** What the project was at the beginning. */
  of: z.string(),
  /** Contacts up to this id are done: so many rows of the source were read, and so many contacts match. */
  after: z.string(),
  passed: z.number(),
  matching: z.number(),
});
export type Scan = z.infer<typeof Scan>;

const readFresh = columns({ fresh: asText });

/** Null when there is no such dynamic segment any more. */
export async function beginScan(
  ctx: Context,
  segmentId: string,
  { onlyTracked = false }: { onlyTracked?: boolean } = {},
): Promise<Scan | null> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT *, ${freshness(sql`${ctx.project.id}`)} AS fresh, ${totalContacts(ctx)} AS contacts
      FROM segments WHERE project_id = ${ctx.project.id} AND id = ${segmentId}`,
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
    after: belowAll,
    passed: 0,
    matching: 0,
  };
}

/** How many windows the whole scan takes, or a few more. */
export function windowsAhead(scan: Scan): number {
  return Math.ceil(scan.source.rows / maxAskedPerStatement(audienceFor(scan)));
}

function audienceFor({ segment, named, at }: Scan): Audience {
  return audienceOf(segment.condition, new Map(named), new Date(at));
}

export interface Scanned {
  /** The scan behind this window. */
  scan: Scan;
  isLast: boolean;
  /** Of the whole scan, in percent. */
  progress: number;
  /** Who matches, when that was asked for. */
  ids: string[];
}

const readWindow = columns({ edge: asText, matching: asNumber, ids: orNull(asJson<string[]>()) });

/**
 * Scans the next window. `beside` is another source of which no more may lie beside the window than a statement takes.
 */
export async function scanNext(
  ctx: Context,
  scan: Scan,
  { withIds = false, beside }: { withIds?: boolean; beside?: ScanSource } = {},
): Promise<Scanned> {
  const audience = audienceFor(scan);
  const rows = maxAskedPerStatement(audience);
  const { edge, contacts } = windowUp(ctx, scan.source, { after: scan.after, rows, beside });
  const ids = withIds ? sql`json_group_array(id) FILTER (WHERE matches)` : sql`NULL`;
  const window = await selectFirst(
    ctx.db,
    sql`WITH ${audience.values}, ${edge}
      SELECT (SELECT id FROM edge) AS edge, coalesce(sum(matches), 0) AS matching, ${ids} AS ids
      FROM (SELECT c.id, ${audience.matches} AS matches ${contacts})`,
    readWindow,
  );
  if (!window) throw new Error("A sum always has a row");
  const passed = scan.passed + rows;
  return {
    scan: { ...scan, after: window.edge, passed, matching: scan.matching + window.matching },
    isLast: window.edge === aboveAll,
    progress: (100 * passed) / Math.max(passed, scan.source.rows),
    ids: window.ids ?? [],
  };
}
