import { type SQL, sql } from "drizzle-orm";
import { firstIdAt, readId, textOf } from "../ids";
import { normalizeEmail } from "../mail/address";
import type { FilterCondition, FilterGroup, SegmentSource } from "./condition";
import { type TimeWindow, windowStartMs } from "./dates";
import { type FilterTest, parseFilter } from "./filter";
import type { Bind, Operand, Scalar } from "./operand";
import { eventOperators, fieldOperators, type HasEvent, type OperatorInput } from "./operators";

/** Translates the names in a condition to SQL. `compile` knows logic and operators, but no tables. */
export interface Resolver {
  field(name: string, bind: Bind): Operand;
  /**
   * Whether the contact has an event of this name. If `firstId` is given, only events with that id or a later one
   * count. Never NULL.
   */
  hasEvent(name: SQL, firstId: SQL | null): SQL;
  /**
   * Whether the contact receives the mail of a topic, by its own choice or the default of the topic; NULL when there is
   * no such topic.
   */
  topic(slug: SQL): SQL;
  segment(id: string): SegmentSource;
  /** Whether the contact has a membership row for this segment. Never NULL. */
  isMember(segmentId: SQL): SQL;
}

/** A property that every matching contact has: an event (since `fromMs`, if given), a membership, or an address. */
export type Need = { event: string; fromMs: number | null } | { memberOf: string } | { email: string };

/**
 * A condition as two parts of a statement: `WITH ${values} SELECT … FROM contacts c WHERE … AND ${matches}`. A hundred
 * filters compile to at most 92 KB of SQL, and D1 allows 100 KB per statement. A statement can therefore contain only
 * one condition, and only once.
 */
export interface Audience {
  /** A table `a` with one row: all values of the condition, as a single parameter. */
  values: SQL;
  /** Evaluates to 1 or 0 for each contact, never to NULL. */
  matches: SQL;
  /**
   * The number of filters that are evaluated, and the number of reads that they make from tables other than contacts.
   */
  filters: number;
  lookups: number;
  /** A scan can skip every contact that lacks one of these. */
  needs: Need[];
}

/** The figures of a part of a condition, as `Audience` has them for the whole. */
type Figures = Pick<Audience, "filters" | "lookups" | "needs">;

/** A compiled part of a condition. */
type Tree = Figures & ({ test: SQL } | { logic: "AND" | "OR"; parts: Tree[] });

/**
 * Compiles a condition to SQL. The SQL contains nothing that a caller wrote, because all names and values are in the
 * single parameter of the statement. The number of filters therefore bounds the length of the SQL, and conditions of
 * the same shape have the same SQL.
 */
export function compile(condition: FilterCondition, resolver: Resolver, now: Date): Audience {
  const { bind, values } = newValues();
  const tree = treeOf(condition, true, { resolver, now, bind });
  const { filters, lookups, needs } = tree;
  return { values: values(), matches: testOf(tree), filters, lookups, needs };
}

/** Several conditions as one part of a statement. The limit on filters applies to all conditions together. */
export interface Choice {
  values: SQL;
  /** The position of the first condition that holds; NULL when none does. */
  first: SQL;
  filters: number;
}

/** Compiles conditions that are evaluated in order, up to the first that holds. */
export function compileChoice(conditions: readonly FilterCondition[], resolver: Resolver, now: Date): Choice {
  const { bind, values } = newValues();
  const trees = conditions.map((condition) => treeOf(condition, true, { resolver, now, bind }));
  const cases = trees.map((tree, position) => sql`WHEN ${testOf(tree)} THEN ${sql.raw(String(position))}`);
  return {
    values: values(),
    first: sql`CASE ${sql.join(cases, sql` `)} END`,
    filters: trees.reduce((total, { filters }) => total + filters, 0),
  };
}

/** Collects the values of a statement. Once all values are bound, `values` returns the table `a` that contains them. */
function newValues(): { bind: Bind; values(): SQL } {
  const bound: Parameters<Bind>[0][] = [];
  return {
    // A statement can refer to values over a thousand times, so the names are as short as possible.
    bind(value) {
      if (!bound.includes(value)) bound.push(value);
      return sql.raw(`(SELECT v->>${bound.indexOf(value)} FROM a)`);
    },
    values: () => sql`a (v) AS (SELECT ${JSON.stringify(bound)})`,
  };
}

/**
 * Adds a unary plus, which keeps SQLite from turning an EXISTS into a join. The join would read, for each contact, the
 * events of all contacts in a range of ids.
 */
function testOf(tree: Tree): SQL {
  return sql`+(${inSql(tree)})`;
}

interface CompileContext {
  resolver: Resolver;
  now: Date;
  bind: Bind;
}

/** Pushes negation down to single filters (De Morgan), so that no NOT wraps a subtree. */
function treeOf({ logic, groups }: FilterCondition, isWanted: boolean, context: CompileContext): Tree {
  return combine(
    logic,
    groups.map((group) => treeOfGroup(group, isWanted, context)),
    isWanted,
  );
}

function treeOfGroup({ filters, conditions }: FilterGroup, isWanted: boolean, context: CompileContext): Tree {
  const parts = filters.map((filter) => treeOfTest(parseFilter(filter), isWanted, context));
  return combine("AND", conditions ? [...parts, treeOf(conditions, isWanted, context)] : parts, isWanted);
}

/** Combines parts. A part that has the same logic as the whole is merged into the whole. */
function combine(wanted: "AND" | "OR", inner: Tree[], isWanted: boolean): Tree {
  const [first] = inner;
  if (first && inner.length === 1) return first;
  const logic = isWanted === (wanted === "AND") ? "AND" : "OR";
  const parts = inner.flatMap((part) => ("parts" in part && part.logic === logic ? part.parts : [part]));
  const sum = (of: "filters" | "lookups") => parts.reduce((total, part) => total + part[of], 0);
  // When there are several alternatives, none of them is required on its own.
  const needs = logic === "AND" ? parts.flatMap((part) => part.needs) : [];
  return { filters: sum("filters"), lookups: sum("lookups"), needs, logic, parts };
}

function treeOfTest(test: FilterTest, isWanted: boolean, context: CompileContext): Tree {
  const { resolver, bind } = context;
  switch (test.kind) {
    case "field": {
      const operand = resolver.field(test.field, bind);
      const isMet = fieldOperators[test.operator].test(operand, inputOf(test, context));
      return leaf(isMet, isWanted, { needs: addressIn(test) });
    }
    case "topic": {
      const isIn = sql`(${resolver.topic(bind(test.slug))} IS ${sql.raw(test.isIn ? "1" : "0")})`;
      return leaf(isIn, isWanted, { lookups: lookupsOfTopic });
    }
    case "event": {
      const name = bind(test.name);
      let lookups = 0;
      const hasEvent: HasEvent = (since) => {
        lookups++;
        return resolver.hasEvent(name, since === undefined ? null : bind(textOf(firstIdAt(since))));
      };
      const operator = eventOperators[test.operator];
      const input = inputOf(test, context);
      const happened = operator.test(hasEvent, input);
      const fromMs = operator.needs === "window" ? input.from : null;
      return leaf(happened, isWanted, {
        lookups,
        needs: operator.needs === "no" ? [] : [{ event: test.name, fromMs }],
      });
    }
    case "segment": {
      const source = resolver.segment(test.id);
      const isMemberWanted = test.isMember === isWanted;
      if (source !== "members") return treeOf(source, isMemberWanted, context);
      const isMember = resolver.isMember(bind(textOf(readId(test.id))));
      return leaf(isMember, isMemberWanted, { lookups: 1, needs: [{ memberOf: test.id }] });
    }
  }
}

function inputOf(
  { value, window }: { value?: Scalar | undefined; window: TimeWindow | null },
  { now, bind }: CompileContext,
): OperatorInput {
  return { value, from: window ? windowStartMs(now, window) : now.getTime(), now: now.getTime(), bind };
}

/** The number of lookups of a topic filter: the slug, the row of the topic, and the choice of the contact. */
const lookupsOfTopic = 3;

/** Compiles a single filter. `needs` are those of a contact that meets the filter. */
function leaf(test: SQL, isWanted: boolean, { lookups = 0, needs = [] }: Partial<Figures>): Tree {
  const of = { filters: 1, lookups };
  return isWanted ? { ...of, needs, test } : { ...of, needs: [], test: sql`(NOT ${test})` };
}

/** Returns the address that a contact must have to pass a filter. */
function addressIn({ field, operator, value }: FilterTest & { kind: "field" }): Need[] {
  if (field !== "email" || operator !== "equals" || typeof value !== "string") return [];
  const email = normalizeEmail(value);
  return email === null ? [] : [{ email }];
}

/**
 * Turns a tree into a flat list of cases, because D1 refuses expressions over 100 levels deep, and a subquery adds its
 * own depth to that of its surroundings. At each level, the list continues with the part that has the most filters.
 * Each smaller part next to it becomes a case, which either decides the whole or leaves it open. A smaller part holds
 * at most half of the filters, so cases nest at most log2(100) deep, however deep the tree is. Filters on the contact
 * alone come first, because they decide most contacts.
 */
function inSql(tree: Tree): SQL {
  const cases: SQL[] = [];
  let rest = tree;
  while ("parts" in rest) {
    const { logic } = rest;
    const parts = rest.parts.toSorted((a, b) => a.lookups - b.lookups);
    const largest = parts.reduce((a, b) => (b.filters >= a.filters ? b : a));
    for (const part of parts.filter((other) => other !== largest)) {
      cases.push(logic === "AND" ? sql`WHEN NOT ${inSql(part)} THEN 0` : sql`WHEN ${inSql(part)} THEN 1`);
    }
    rest = largest;
  }
  return cases.length === 0 ? rest.test : sql`CASE ${sql.join(cases, sql` `)} ELSE ${rest.test} END`;
}
