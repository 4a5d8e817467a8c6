import { sql } from "drizzle-orm";
import type { Audience } from "../../../core/audience/compile";
import { conditionOf, type FilterCondition } from "../../../core/audience/condition";
import { type Id, textOf, timeOf } from "../../../core/ids";
import { audienceOf } from "../../../db/audience";
import { Stale } from "../../../db/fresh";
import { maxEvaluatedPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { guard, type Statement, selectOne } from "../../../db/statement";
import { checkCondition } from "../../../engine/audience/named-segments";
import { scanWindow } from "../../../engine/audience/scan";
import { findScanSource } from "../../../engine/audience/scan-source";
import { ends } from "../../../engine/audience/scan-window";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";
import { searchedAnd } from "../searched";
import { type BulkStep, contactsPerStep, type MatchingContacts } from "./bulk-job";

const everybody = conditionOf({ field: "email", operator: "exists" });

/** Prepares a job on all contacts that match now. Throws Invalid when the condition names something unknown. */
export async function readMatching(
  ctx: Context,
  { condition, search }: { condition: FilterCondition | null; search: string },
): Promise<Omit<MatchingContacts, "operation">> {
  const whole = searchedAnd(search, condition) ?? everybody;
  if (condition) await checkCondition(ctx, condition, { at: "matching.condition" });
  // The search adds to the depth of the condition, which may then be too deep.
  if (condition && whole !== condition) await checkCondition(ctx, whole, { at: "matching" });
  const ends = await selectOne(
    ctx.db,
    sql`SELECT (SELECT min(id) FROM contacts WHERE ${inProject(ctx)}) AS first,
      (SELECT max(id) FROM contacts WHERE ${inProject(ctx)}) AS last`,
    columns({ first: orNull(asId), last: orNull(asId) }),
  );
  return { condition: JSON.stringify(whole), ...ends, at: ctx.now.getTime() };
}

/** The value of `after` with which a job on all matching contacts begins. */
export const firstMatching = ends.up.start;

/**
 * Finds the contacts of the next step, in the order of their ids. A step can find no contacts although later contacts
 * match. Returns null at the end. Throws Invalid when a segment or topic that the condition names was deleted, because
 * the condition would then find other contacts.
 */
export async function nextMatching(
  ctx: Context,
  { condition: text, first, last, at }: MatchingContacts,
  after: Id,
): Promise<BulkStep | null> {
  if (first === null || last === null || after === ends.up.end) return null;
  const condition: FilterCondition = JSON.parse(text);
  const { segments } = await checkCondition(ctx, condition);
  const now = new Date(at);
  const total = sql`SELECT ${totalContacts(ctx)} AS contacts`;
  const counted = await selectOne(ctx.db, total, columns({ contacts: asNumber }));
  const audience = audienceOf(condition, segments, now);
  const source = await findScanSource(ctx, audience, { now, ...counted });
  const window = await scanWindow(ctx, audience, source, {
    direction: "up",
    from: after,
    rows: maxEvaluatedPerStatement(audience),
    want: { skip: 0, take: contactsPerStep },
  });
  const found = window.contacts.map(({ id }) => id);
  const ids = found.filter((id) => textOf(id) <= textOf(last));
  const isOver = ids.length < found.length;
  const edge = found.length === contactsPerStep ? (found.at(-1) ?? window.edge) : window.edge;
  const next = isOver ? ends.up.end : edge;
  const progress = next === ends.up.end ? 100 : share(timeOf(next), timeOf(first), timeOf(last));
  return { ids, state: { after: next }, progress, stillMatching: guardMatching(ctx, audience, ids) };
}

/**
 * Returns a guard that throws Stale unless all these contacts still match. A contact might have changed since it was
 * found.
 */
function guardMatching(ctx: Context, { values, matches }: Audience, ids: Id[]): Statement {
  const others = sql`WITH ${values} SELECT 1 FROM json_each(${JSON.stringify(ids)}) r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value WHERE NOT coalesce(${matches}, false)`;
  return guard(sql`NOT EXISTS (${others})`, () => new Stale());
}

/**
 * Returns how far a job is, in percent. An id begins with the time of its creation, so the progress is measured in
 * time, from the first contact to the last.
 */
function share(time: number, from: number, to: number): number {
  return to <= from ? 0 : (100 * Math.max(0, time - from)) / (to - from);
}
