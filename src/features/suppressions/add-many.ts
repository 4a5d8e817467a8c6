import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import type { Context } from "../../platform/context";
import { insertSuppressions, type NewSuppression } from "./insert";
import type { AddSuppressions } from "./schema";

const readCount = columns({ n: asNumber });

/**
 * Adds a list from another service, completely or not at all. Existing addresses are counted before the write, so that
 * a repeated write, after a lost answer, still returns the right counts.
 */
export async function addSuppressions(
  ctx: Context,
  { suppressions }: AddSuppressions,
): Promise<{ created: number; existing: number }> {
  const items = eachOnce(ctx, suppressions);
  const { n: existing } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS n FROM json_each(${JSON.stringify(items)}) r
      CROSS JOIN suppressions s ON ${inProject(ctx, "s")} AND s.email = r.value->>'email'`,
    readCount,
  );
  const batch = openBatch(ctx);
  batch.mayRepeat();
  batch.addAll(insertSuppressions(ctx, "suppressions", items));
  await batch.commit();
  return { created: items.length - existing, existing };
}

function eachOnce(ctx: Context, suppressions: AddSuppressions["suppressions"]): NewSuppression[] {
  const now = ctx.now.getTime();
  const byEmail = new Map<string, NewSuppression>();
  for (const { email, reason, createdAt } of suppressions) {
    if (byEmail.has(email)) continue;
    const at = createdAt ? Math.min(Date.parse(createdAt), now) : now;
    byEmail.set(email, { email, reason: reason ?? "manual", createdAt: at });
  }
  return [...byEmail.values()];
}
