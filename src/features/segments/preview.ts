import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { audienceOf } from "../../db/audience";
import { maxAskedPerStatement } from "../../db/limits";
import { asNumber, columns } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import { lookThrough } from "../../engine/audience/look-through";
import { checkCondition } from "../../engine/audience/named-segments";
import { findScanSource } from "../../engine/audience/scan-source";
import { aboveAll } from "../../engine/audience/scan-window";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";

const sampleSize = 10;
/** What a preview looks through at most, the newest first: so many rows, by so many statements. */
const maxRows = 100_000;
const maxWindows = 200;

interface Preview {
  count: number;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: who a condition would hold for now. Throws Invalid. Nothing is stored. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const all = await selectFirst(ctx.db, sql`SELECT ${totalContacts(ctx)} AS contacts`, columns({ contacts: asNumber }));
  const source = await findScanSource(ctx, condition, { segments, contacts: all?.contacts ?? 0, now: ctx.now });
  const audience = audienceOf(condition, segments, ctx.now);
  const maxAtOnce = maxAskedPerStatement(audience);
  const maxInAll = source.rows <= maxRows ? Number.POSITIVE_INFINITY : maxRows;
  const sample: ContactRow[] = [];
  let [count, looked, before] = [0, 0, aboveAll];
  for (let looks = 0; looks < maxWindows && looked < maxInAll; looks++) {
    const rows = Math.min(maxAtOnce, maxInAll - looked);
    const look = await lookThrough(ctx, audience, source, { before, rows, skip: 0, take: sampleSize - sample.length });
    sample.push(...look.rows);
    count += look.matched;
    looked += rows;
    if (look.before === null) return { count, isApproximate: false, sample };
    before = look.before;
    await letOthersIn();
  }
  return { count: Math.round((count / looked) * source.rows), isApproximate: true, sample };
}
