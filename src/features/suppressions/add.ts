import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { suppressions } from "../../db/tables";
import type { Context } from "../../platform/context";
import { insertSuppressions } from "./insert";
import type { AddSuppression } from "./schema";
import type { SuppressionRow } from "./suppression";

/** Adds an address to the list. An address that is already on it keeps its reason and time. */
export async function addSuppression(ctx: Context, { email, reason }: AddSuppression): Promise<SuppressionRow> {
  const batch = openBatch(ctx);
  // A second run finds the address already on the list, and no snooze to end.
  batch.mayRepeat();
  batch.addAll(insertSuppressions(ctx, "email", [{ email, reason: reason ?? "manual", createdAt: ctx.now.getTime() }]));
  const listed = batch.add(
    statement(sql`SELECT * FROM suppressions WHERE ${inProject(ctx)} AND email = ${email}`, wholeRow(suppressions)),
  );
  await batch.commit();
  return listed.one;
}
