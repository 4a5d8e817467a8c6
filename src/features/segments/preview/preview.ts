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
/** The maximum number of rows that a preview reads, and the maximum number of statements that it makes. */
const maxRows = 250_000;
const maxWindows = 200;
/**
 * A source that is too large to be read as a whole is sampled: at most this many rows are read at each of several
 * evenly spread points.
 */
const maxRowsPerPart = 12_500;

interface Preview {
  /**
   * The number of matches. Null when only some of the contacts were scanned and none of them matched, because the
   * number is then unknown.
   */
  count: number | null;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: previews the contacts that match a condition. Throws Invalid. Stores nothing. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const total = sql`SELECT ${totalContacts(ctx)} AS contacts`;
  const { contacts } = await selectOne(ctx.db, total, columns({ contacts: asNumber }));
  const audience = audienceOf(condition, segments, ctx.now);
  const rowsAtOnce = maxEvaluatedPerStatement(audience);
  const maxRead = Math.min(maxRows, maxWindows * rowsAtOnce);
  const cheapest = await findScanSource(ctx, audience, { contacts, now: ctx.now });
  // The cheapest source may have too many rows to be read as a whole, such as many events of few contacts. Reading all
  // contacts costs more, but gives an exact count.
  const isFew = cheapest.rows > maxRead && contacts <= maxRead;
  const source: ScanSource = isFew ? { over: "contacts", rows: contacts } : cheapest;
  const isWhole = source.rows <= maxRead;
  const { windows, share } = isWhole
    ? await wholeOf(ctx, source, rowsAtOnce)
    : await sampleOf(ctx, source, { rows: Math.min(rowsAtOnce, maxRowsPerPart), maxRead });
  const { matched, contacts: sample, isAtEnd } = await scanWindows(ctx, audience, windows, { take: sampleSize });
  if (isWhole && isAtEnd) return { count: matched, isApproximate: false, sample };
  return { count: matched === 0 ? null : Math.round(matched / share), isApproximate: true, sample };
}

interface ScanPlan {
  windows: ScanWindow[];
  /** The share of the source's rows that these windows read. */
  share: number;
}

/**
 * Plans adjoining windows over the whole source. Their bounds are fixed, so contacts that are created or deleted
 * meanwhile do not shift them. Only the last window finds its own end: if there are more rows than the stored counts
 * report, it stops before the end of the source.
 */
async function wholeOf(ctx: Context, source: ScanSource, rows: number): Promise<ScanPlan> {
  // If the last window would be full, one more is needed, because a full window cannot show that it is the last.
  const starts = await findParts(ctx, source, Math.floor(source.rows / rows) + 1);
  const windows = starts.map((from, index) => {
    const to = starts[index + 1];
    return to === undefined
      ? windowFrom(ctx, source, { direction: "down", from, rows })
      : windowBetween(ctx, source, { direction: "down", from, to });
  });
  return { windows, share: 1 };
}

/** Plans a sample: divides the source into parts of equal size, with a window over the newest rows of each. */
async function sampleOf(
  ctx: Context,
  source: ScanSource,
  { rows, maxRead }: { rows: number; maxRead: number },
): Promise<ScanPlan> {
  const starts = await findParts(ctx, source, Math.floor(maxRead / rows));
  const windows = starts.map((from) => windowFrom(ctx, source, { direction: "down", from, rows }));
  return { windows, share: Math.min(1, (rows * starts.length) / source.rows) };
}
