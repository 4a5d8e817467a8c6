import { sql } from "drizzle-orm";
import { conditionOf, type FilterCondition, filtersOf } from "../../core/audience/condition";
import type { Filter, FilterTest } from "../../core/audience/filter";
import { chunksOf } from "../../core/chunks";
import { timeOf } from "../../core/ids";
import { fieldValue } from "../../core/segments/field-value";
import { iso } from "../../core/time";
import { audienceOf, type Segments } from "../../db/audience";
import { openBatch } from "../../db/batch";
import { asFlag, asId, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, select, statement } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/** A filter of a condition, with its result for one contact. */
export interface JudgedFilter {
  filter: Filter;
  matches: boolean;
  /**
   * The value that the filter tests: the value of a field, the time of the contact's last event with the filter's name,
   * or whether the contact is in the topic or segment. Null if the contact has no such field or event.
   */
  actual: unknown;
}

/** A condition, with the segments and the time for its evaluation. */
interface JudgeInput {
  condition: FilterCondition;
  segments: Segments;
  now: Date;
}

/** Evaluates a condition and each of its filters for one contact. */
export async function judge(
  ctx: Context,
  contact: ContactRow,
  { condition, segments, now }: JudgeInput,
): Promise<{ matches: boolean; filters: JudgedFilter[] }> {
  const placed = [...filtersOf(condition)];
  const filters = placed.map(({ filter }) => filter);
  const tests = placed.map(({ test }) => test);
  const [{ matches, each }, lastTimes] = await Promise.all([
    evaluate(ctx, contact, { condition, filters, segments, now }),
    findLastTimes(ctx, contact, tests),
  ]);
  const judged = placed.map(({ filter, test }, index) => {
    const isMet = each[index] ?? false;
    return { filter, matches: isMet, actual: actualOf(contact, test, isMet, lastTimes) };
  });
  return { matches, filters: judged };
}

/**
 * The maximum number of conditions in one statement. Each needs a parameter of its own, and D1 allows 100 per
 * statement.
 */
const filtersPerStatement = 50;

/**
 * Evaluates the condition and each of its filters in the database, all at the same moment. The condition gets its own
 * statement, because its SQL alone can reach the length limit of a statement.
 */
async function evaluate(
  ctx: Context,
  contact: ContactRow,
  { condition, filters, ...given }: JudgeInput & { filters: Filter[] },
): Promise<{ matches: boolean; each: boolean[] }> {
  const batch = openBatch(ctx);
  const whole = batch.add(selectMatches(ctx, contact, [condition], given));
  const chunks = chunksOf(filters.map(conditionOf), filtersPerStatement).map((chunk) =>
    batch.add(selectMatches(ctx, contact, chunk, given)),
  );
  await batch.commit();
  // There is no row when the contact was deleted meanwhile.
  return { matches: whole.first?.[0] ?? false, each: chunks.flatMap(({ first = [] }) => first) };
}

/**
 * The maximum number of filters in a statement that evaluates several conditions. A condition with more filters gets
 * its own statement.
 */
const maxFilters = 100;

/** Evaluates several conditions for one contact, with as many in each statement as the limits allow. */
export async function matchesEach(
  ctx: Context,
  contact: ContactRow,
  conditions: FilterCondition[],
  given: Omit<JudgeInput, "condition">,
): Promise<boolean[]> {
  const groups: FilterCondition[][] = [];
  let filters = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const own = audienceOf(condition, given.segments, given.now).filters;
    const last = groups.at(-1);
    if (last === undefined || filters + own > maxFilters || last.length === filtersPerStatement) {
      groups.push([condition]);
      filters = own;
    } else {
      last.push(condition);
      filters += own;
    }
  }
  if (groups.length === 0) return [];
  const batch = openBatch(ctx);
  const results = groups.map((group) => batch.add(selectMatches(ctx, contact, group, given)));
  await batch.commit();
  // There is no row when the contact was deleted meanwhile.
  return results.flatMap(({ first }, index) => first ?? groups[index]?.map(() => false) ?? []);
}

/** Selects one row: whether each of the conditions holds for the contact. */
function selectMatches(
  ctx: Context,
  contact: ContactRow,
  conditions: FilterCondition[],
  { segments, now }: Omit<JudgeInput, "condition">,
): Statement<boolean[]> {
  const nameOf = (index: number) => `m${index}`;
  const questions = conditions.map((condition, index) => {
    const { values, matches } = audienceOf(condition, segments, now);
    return sql`(WITH ${values} SELECT ${matches}) AS ${sql.raw(nameOf(index))}`;
  });
  return statement(
    sql`SELECT ${sql.join(questions, sql`, `)} FROM contacts c
      WHERE ${inProject(ctx, "c")} AND c.id = ${contact.id}`,
    (raw) => conditions.map((_, index) => asFlag(raw[nameOf(index)])),
  );
}

/** Finds when the contact last had an event of each name in the filters. */
async function findLastTimes(ctx: Context, contact: ContactRow, tests: FilterTest[]): Promise<Map<string, number>> {
  const names = tests.flatMap((test) => (test.kind === "event" ? [test.name] : []));
  if (names.length === 0) return new Map();
  const rows = await select(
    ctx.db,
    sql`SELECT r.value AS name, (SELECT e.id FROM events e INDEXED BY ix_events_name
        WHERE ${inProject(ctx, "e")} AND e.name = r.value AND e.contact_id = ${contact.id}
        ORDER BY e.id DESC LIMIT 1) AS last_id
      FROM json_each(${JSON.stringify([...new Set(names)])}) r`,
    columns({ name: asText, lastId: orNull(asId) }),
  );
  return new Map(rows.flatMap(({ name, lastId }) => (lastId === null ? [] : [[name, timeOf(lastId)]])));
}

function actualOf(contact: ContactRow, test: FilterTest, isMet: boolean, lastTimes: Map<string, number>): unknown {
  switch (test.kind) {
    case "field":
      return fieldValue(contact, test.field);
    // If the filter asks for contacts outside the topic or segment, a match means that the contact is not in it.
    case "topic":
      return test.isIn === isMet;
    case "segment":
      return test.isMember === isMet;
    case "event": {
      const last = lastTimes.get(test.name);
      return last === undefined ? null : iso(last);
    }
  }
}
