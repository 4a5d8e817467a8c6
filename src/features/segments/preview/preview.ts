import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../../core/audience/condition";
import { audienceOf } from "../../../db/audience";
import { maxEvaluatedPerStatement } from "../../../db/limits";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { ContactRow } from "../../../db/tables";
import { checkCondition } from "../../../engine/audience/named-segments";
import { findParts } from "../../../engine/audience/scan-parts";
import { findScanSource, type ScanSource } from "../../../engine/audience/scan-source";
import { type ScanWindow, windowBetween, windowFrom } from "../../../engine/audience/scan-window";
import { scanWindows } from "../../../engine/audience/scan-windows";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";

const sampleSize = 10;
/** What a preview reads at most: so many rows, by so many statements. */
const maxRows = 250_000;
const maxWindows = 200;
/** A source with more rows is sampled: so many of them, or fewer, at each of many places that are spread evenly. */
const maxRowsPerPlace = 12_500;

interface Preview {
  /** Null when part of the contacts was scanned, and none of these matches: then it may be any number. */
  count: number | null;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: who a condition would hold for now. Throws Invalid. Nothing is stored. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const total = sql`SELECT ${totalContacts(ctx)} AS contacts`;
  const { contacts } = await selectOne(ctx.db, total, columns({ contacts: asNumber }));
  const audience = audienceOf(condition, segments, ctx.now);
  const rowsAtOnce = maxEvaluatedPerStatement(audience);
  const maxRead = Math.min(maxRows, maxWindows * rowsAtOnce);
  const cheapest = await findScanSource(ctx, condition, { segments, contacts, now: ctx.now });
  // Rows of events are cheaper than contacts and may be more. An exact answer is worth the difference.
  const isFew = cheapest.rows > maxRead && contacts <= maxRead;
  const source: ScanSource = isFew ? { over: "contacts", rows: contacts } : cheapest;
  const isWhole = source.rows <= maxRead;
  const { windows, share } = isWhole
    ? await wholeOf(ctx, source, rowsAtOnce)
    : await sampleOf(ctx, source, { rows: Math.min(rowsAtOnce, maxRowsPerPlace), maxRead });
  const { matched, contacts: sample, isAtEnd } = await scanWindows(ctx, audience, windows, { take: sampleSize });
  if (isWhole && isAtEnd) return { count: matched, isApproximate: false, sample };
  return { count: matched === 0 ? null : Math.round(matched / share), isApproximate: true, sample };
}

interface Plan {
  windows: ScanWindow[];
  /** The part of the source's rows that these windows read. */
  share: number;
}

/**
 * Windows that join each other, so that contacts which come or go meanwhile shift none of them. The last one finds its
 * end by itself: if there are more rows than the stored counts say, it stops before the end.
 */
async function wholeOf(ctx: Context, source: ScanSource, rows: number): Promise<Plan> {
  // One more than needed when the last one would be full, and could not tell whether it is the last.
  const starts = await findParts(ctx, source, Math.floor(source.rows / rows) + 1);
  const windows = starts.map((from, place) => {
    const to = starts[place + 1];
    return to === undefined
      ? windowFrom(ctx, source, { direction: "down", from, rows })
      : windowBetween(ctx, source, { direction: "down", from, to });
  });
  return { windows, share: 1 };
}

/** The newest rows of each of many parts of equal size. */
async function sampleOf(
  ctx: Context,
  source: ScanSource,
  { rows, maxRead }: { rows: number; maxRead: number },
): Promise<Plan> {
  const starts = await findParts(ctx, source, Math.floor(maxRead / rows));
  const windows = starts.map((from) => windowFrom(ctx, source, { direction: "down", from, rows }));
  return { windows, share: Math.min(1, (rows * starts.length) / source.rows) };
}
