import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../../core/audience/condition";
import { audienceOf } from "../../../db/audience";
import { maxAskedPerStatement } from "../../../db/limits";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { ContactRow } from "../../../db/tables";
import { checkCondition } from "../../../engine/audience/named-segments";
import { scan } from "../../../engine/audience/scan";
import { findParts } from "../../../engine/audience/scan-parts";
import { findScanSource } from "../../../engine/audience/scan-source";
import { ends } from "../../../engine/audience/scan-window";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";

const sampleSize = 10;
/** What a preview reads at most: so many rows, by so many statements. */
const maxRows = 100_000;
const maxWindows = 200;
/** A source with more rows is divided into so many parts, and the preview reads the newest rows of each. */
const maxParts = 10;

interface Preview {
  count: number;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: who a condition would hold for now. Throws Invalid. Nothing is stored. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const total = sql`SELECT ${totalContacts(ctx)} AS contacts`;
  const { contacts } = await selectOne(ctx.db, total, columns({ contacts: asNumber }));
  const source = await findScanSource(ctx, condition, { segments, contacts, now: ctx.now });
  const audience = audienceOf(condition, segments, ctx.now);
  const maxRead = Math.min(maxRows, maxWindows * maxAskedPerStatement(audience));
  const isWhole = source.rows <= maxRead;
  const parts = isWhole ? [ends.down.start] : await findParts(ctx, source, maxParts);
  // Only a window that has too few rows says that it is the last: a whole scan may need one more to see that.
  const budget = isWhole ? { maxWindows: maxWindows + 1 } : { maxRows: Math.floor(maxRead / maxParts) };
  const sample: ContactRow[] = [];
  let [matched, read, isExact] = [0, 0, false];
  for (const from of parts) {
    const want = { skip: 0, take: sampleSize - sample.length };
    for await (const window of scan(ctx, audience, source, budget, { direction: "down", from, want })) {
      sample.push(...window.contacts);
      matched += window.matched;
      read += window.rows;
      isExact = isWhole && window.isLast;
    }
  }
  if (isExact) return { count: matched, isApproximate: false, sample };
  const count = Math.round((matched / read) * Math.max(read, source.rows));
  return { count, isApproximate: true, sample };
}
