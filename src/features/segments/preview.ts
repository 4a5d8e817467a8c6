import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { audienceOf } from "../../db/audience";
import { query } from "../../db/commit";
import { mostAskedPerStatement } from "../../db/limits";
import type { ContactRow } from "../../db/tables";
import { lookThrough } from "../../engine/audience/look-through";
import { checkCondition } from "../../engine/audience/named-segments";
import { findPath } from "../../engine/audience/scan-source";
import { aboveAll } from "../../engine/audience/scan-window";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";

const sampleSize = 10;
/** What a preview looks through at most, the newest first: so many rows, by so many statements. */
const mostRows = 100_000;
const mostLooks = 200;

interface Preview {
  count: number;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: who a condition would hold for now. Throws Invalid. Nothing is stored. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const [all] = await query(ctx.db, sql`SELECT ${totalContacts(ctx)} AS contacts`);
  const path = await findPath(ctx, condition, { segments, contacts: Number(all?.contacts), now: ctx.now });
  const audience = audienceOf(condition, segments, ctx.now);
  const mostAtOnce = mostAskedPerStatement(audience);
  const mostInAll = path.rows <= mostRows ? Number.POSITIVE_INFINITY : mostRows;
  const sample: ContactRow[] = [];
  let [count, looked, before] = [0, 0, aboveAll];
  for (let looks = 0; looks < mostLooks && looked < mostInAll; looks++) {
    const rows = Math.min(mostAtOnce, mostInAll - looked);
    const look = await lookThrough(ctx, audience, path, { before, rows, skip: 0, take: sampleSize - sample.length });
    sample.push(...look.rows);
    count += look.matched;
    looked += rows;
    if (look.before === null) return { count, isApproximate: false, sample };
    before = look.before;
    await letOthersIn();
  }
  return { count: Math.round((count / looked) * path.rows), isApproximate: true, sample };
}
