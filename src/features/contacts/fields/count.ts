import { sql } from "drizzle-orm";
import { z } from "zod";
import { belowAllIds, asId as idOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, asNumber, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { totalContacts } from "../../../engine/contacts/total";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { maxFieldsShown } from "./list";

const contactsPerStep = 5_000;

/**
 * The sums count the contacts that have each field, among the contacts with ids up to `after`. They are a list and not
 * an object, because any text can be the key of a field.
 */
const CountState = z.object({
  after: z.string().transform(idOf),
  passed: z.number(),
  sums: z.array(z.tuple([z.string(), z.number()])),
});
type CountState = z.infer<typeof CountState>;

/**
 * Counts the fields of a large project step by step: the next contacts by id. The job stores the sums until every
 * contact is counted, so that a partial count is never visible. Each step requires that the previous one was stored, so
 * no contact is counted twice.
 */
export async function countFields(ctx: Context, row: JobRow): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  const { data: state } = CountState.safeParse(row.state);
  if (!state) {
    batch.add(updateState(ctx, row, await startOfCount(ctx), 0));
    await batch.commit();
    return "goes on";
  }
  const { last, contacts, total, sums } = await countNext(ctx, state);
  const passed = state.passed + contacts;
  if (last !== null && contacts === contactsPerStep) {
    batch.add(updateState(ctx, row, { after: last, passed, sums }, (100 * passed) / total));
    await batch.commit();
    return "goes on";
  }
  batch.add(updateCounts(ctx, row, sums));
  batch.add(updateEnded(ctx, row, { status: "completed", state: {}, result: { contacts: passed } }));
  await batch.commit();
  return "ended";
}

async function startOfCount(ctx: Context): Promise<CountState> {
  const rows = await select(
    ctx.db,
    sql`SELECT key FROM contact_fields WHERE ${inProject(ctx)} ORDER BY key LIMIT ${maxFieldsShown}`,
    columns({ key: asText }),
  );
  return { after: belowAllIds, passed: 0, sums: rows.map(({ key }) => [key, 0]) };
}

async function countNext(ctx: Context, { after, sums }: CountState) {
  const next = (column: "id" | "data") =>
    sql`(SELECT ${sql.identifier(column)} FROM contacts
      WHERE ${inProject(ctx)} AND id > ${after} ORDER BY id LIMIT ${contactsPerStep})`;
  const batch = openBatch(ctx);
  const passing = batch.add(
    statement(
      sql`SELECT count(*) AS contacts, max(id) AS last, ${totalContacts(ctx)} AS total FROM ${next("id")}`,
      columns({ contacts: asNumber, last: orNull(asId), total: asNumber }),
    ),
  );
  const found = batch.add(
    statement(
      sql`SELECT f.key, count(*) AS contacts FROM ${next("data")} c CROSS JOIN json_each(c.data) f
        WHERE f.type <> 'null' AND f.key IN (SELECT value->>0 FROM json_each(${JSON.stringify(sums)}))
        GROUP BY f.key`,
      columns({ key: asText, contacts: asNumber }),
    ),
  );
  await batch.commit();
  const more = new Map(found.all.map(({ key, contacts }) => [key, contacts]));
  return {
    ...passing.one,
    sums: sums.map(([key, sum]): [string, number] => [key, sum + (more.get(key) ?? 0)]),
  };
}

/**
 * Stores the counts. Skips a field that was deleted and registered again during the count: its sum covers only some of
 * the contacts, so it waits for the next count.
 */
function updateCounts(ctx: Context, row: JobRow, sums: CountState["sums"]): Statement {
  return statement(
    sql`UPDATE contact_fields SET contacts = s.value->>1, counted_at = ${row.createdAt}
      FROM json_each(${JSON.stringify(sums)}) s
      WHERE ${inProject(ctx)} AND contact_fields.key = s.value->>0 AND created_at <= ${row.createdAt}`,
  );
}
