import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { audienceOf } from "../../db/audience";
import { query } from "../../db/commit";
import type { Context } from "../../platform/context";
import type { ContactRow } from "../contacts/contact";
import { totalContacts } from "../contacts/total";
import { checkCondition } from "./audience";
import { lookThrough, windowRows } from "./look-through";

const sampleSize = 10;
/** What a preview looks through at most: the newest 100,000 contacts. */
const mostWindows = 4;

interface Preview {
  count: number;
  isApproximate: boolean;
  sample: ContactRow[];
}

/** `POST /segments/preview`: who a condition would hold for now. Throws Invalid. Nothing is stored. */
export async function previewSegment(ctx: Context, condition: FilterCondition): Promise<Preview> {
  const { segments } = await checkCondition(ctx, condition);
  const audience = audienceOf(condition, segments, ctx.now);
  const sample: ContactRow[] = [];
  let [count, from]: [number, string | null] = [0, null];
  for (let windows = 0; windows < mostWindows; windows++) {
    const window = await lookThrough(ctx, audience, { from, skip: 0, take: sampleSize - sample.length });
    sample.push(...window.rows);
    count += window.matched;
    if (window.next === null) return { count, isApproximate: false, sample };
    from = window.next;
  }
  const [all] = await query(ctx.db, sql`SELECT ${totalContacts(ctx)} AS total`);
  const share = count / (mostWindows * windowRows);
  return { count: Math.round(share * Number(all?.total)), isApproximate: true, sample };
}
