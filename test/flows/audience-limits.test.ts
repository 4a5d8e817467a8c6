import { env } from "cloudflare:workers";
import { type SQL, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { FilterCondition, maxDepth, maxFilters, type SegmentSource } from "../../src/core/audience/condition";
import { nestingFaults } from "../../src/core/audience/nesting";
import { isEventOperator, isSegmentOperator, operators, takenBy } from "../../src/core/audience/operators";
import { audienceOf, type Segments } from "../../src/db/audience";
import { dialect } from "../../src/db/client";
import { asSeen } from "../support/as-seen";
import { expectBounded, planOf } from "../support/plan";

/** The largest conditions that are accepted, in real D1: it takes expressions 100 deep and statements of 100 KB. */
const maxStatement = 100_000;
/** For the statement around a condition. */
const roomForTheRest = 10_000;
const projectId = 1;
const now = new Date("2026-11-01T00:00:00Z");

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

/** A filter of each costly kind; none of them holds for the contact that there is. */
const kinds: Record<string, (index: number) => Record<string, unknown>> = {
  "values of data": (i) => ({ field: `data.key${i}`, operator: "equals", value: `value ${i}` }),
  // Each character of these is six in JSON.
  "the longest keys and values": (i) => ({
    field: `data.${"\u0001".repeat(140)}.${"\u0001".repeat(140)}${i}`,
    operator: "contains",
    value: `${"\u0001".repeat(990)}${i}`,
  }),
  "dates behind dots": (i) => ({ field: `data.profile.since${i}`, operator: "within", value: i + 1, unit: "days" }),
  "what is not contained": (i) => ({ field: `data.profile.tags${i}`, operator: "notContains", value: "x" }),
  "days that are not it": (i) => ({ field: `data.profile.day${i}`, operator: "notEquals", value: dayOf(i) }),
  events: (i) => ({ field: `event${i}`, operator: "triggeredOlderThan", value: i + 1, unit: "days" }),
  memberships: (i) => ({ field: `segment.list${i}`, operator: "memberOfSegment" }),
  "conditions of other segments": (i) => ({ field: `segment.dynamic${i}`, operator: "notMemberOfSegment" }),
};

const segments: Segments = new Map<string, SegmentSource>([
  ...many(maxFilters, (i) => [`list${i}`, "members"] as const),
  ...many(maxFilters, (i) => {
    const holds = { field: "subscribed", operator: "exists" };
    return [`dynamic${i}`, FilterCondition.parse({ logic: "OR", groups: [{ filters: [holds] }] })] as const;
  }),
]);

type Filters = Record<string, unknown>[];

/** The worst ways to combine a hundred filters. */
const shapes: Record<string, (filters: Filters) => unknown> = {
  "ANDed in one group": (filters) => ({ logic: "AND", groups: [{ filters }] }),
  "ANDed in a hundred": (filters) => ({ logic: "AND", groups: filters.map((filter) => ({ filters: [filter] })) }),
  ORed: (filters) => ({ logic: "OR", groups: filters.map((filter) => ({ filters: [filter] })) }),
  // One level is left for the condition of another segment.
  "ANDed and ORed by turns, as deep as may be": (filters) => byTurns(filters, maxDepth - 1),
};

/** The filters of each level: the first is ANDed with all that is deeper, and that ORed with each of the others. */
function byTurns(filters: Filters, depth: number): unknown {
  const here = depth === 1 ? filters : filters.slice(0, Math.floor(filters.length / depth));
  const conditions = depth === 1 ? null : byTurns(filters.slice(here.length), depth - 1);
  const [first, ...others] = here;
  return {
    logic: "OR",
    groups: [{ filters: [first], conditions }, ...others.map((filter) => ({ filters: [filter] }))],
  };
}

/** Statements as a campaign, a count and a recomputed segment make them: the last two put the condition deeper. */
function statements(condition: FilterCondition): SQL[] {
  const { values, matches } = audienceOf(condition, segments, now);
  return [
    sql`WITH ${values} SELECT c.id FROM contacts c
      WHERE c.project_id = ${projectId} AND c.id > ${""} AND ${matches} ORDER BY c.id LIMIT 1000`,
    sql`WITH ${values} SELECT sum(hit) AS matching FROM (SELECT ${matches} AS hit FROM contacts c
      WHERE c.project_id = ${projectId} ORDER BY c.id LIMIT 25000)`,
    sql`WITH ${values} DELETE FROM segment_members WHERE project_id = ${projectId} AND NOT EXISTS (SELECT 1
      FROM contacts c WHERE c.project_id = ${projectId} AND c.id = segment_members.contact_id AND ${matches})`,
  ];
}

function prepared(statement: SQL): D1PreparedStatement {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  expect(text.length).toBeLessThan(maxStatement - roomForTheRest);
  expect(String(params[0]).length).toBeLessThan(2_000_000);
  return env.DB.prepare(text).bind(...params);
}

beforeAll(async () => {
  await asSeen(env.DB, projectId)
    .prepare(
      "INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at) VALUES (?, ?, ?, 1, ?, 0, 0)",
    )
    .bind(projectId, "ada", "ada@example.com", '{"plan":"pro","profile":{}}')
    .run();
});

describe.each(Object.keys(kinds))("a hundred filters on %s", (kind) => {
  it.each(Object.keys(shapes))("%s", async (shape) => {
    const filters = many(maxFilters, (index) => kinds[kind]?.(index) ?? {});
    const condition = FilterCondition.parse(shapes[shape]?.(filters));
    expect(nestingFaults(condition, (id) => segments.get(id), { at: "condition" })).toEqual([]);
    const [page, count] = await env.DB.batch(statements(condition).map(prepared));
    expect(page?.results).toEqual([]);
    expect(count?.results).toEqual([{ matching: 0 }]);
  });
});

it.each([
  ["pro", [{ id: "ada" }]],
  ["free", []],
])("asks the innermost of thirty levels: %s", async (plan, found) => {
  const [yes, no] = ["pro", "free"].map((value) => ({ field: "data.plan", operator: "equals", value }));
  let condition: unknown = { logic: "AND", groups: [{ filters: [{ ...yes, value: plan }] }] };
  for (let depth = 2; depth <= maxDepth; depth++) {
    condition = {
      logic: "OR",
      groups: [{ filters: [no] }, { filters: [yes], conditions: condition }, { filters: [no] }],
    };
  }
  const [page] = await env.DB.batch(statements(FilterCondition.parse(condition)).map(prepared));
  expect(page?.results).toEqual(found);
});

it("looks up contacts, events and memberships by index, one by one", async () => {
  const condition = FilterCondition.parse({
    logic: "AND",
    groups: [{ filters: Object.values(kinds).map((make) => make(0)) }],
  });
  const asked = statements(condition).map((statement) => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return { sql: text, values: params };
  });
  // All contacts are asked, or all members.
  await expectBounded(asked, [{ sql: /./, step: /^SEARCH (c|segment_members) .*\(project_id=\?\)$/ }]);
  for (const statement of asked) {
    const steps = await planOf(statement);
    expect(steps).toContainEqual(
      expect.stringMatching(/^SEARCH e .*ix_events_name \(project_id=\? AND name=\? AND contact_id=\? AND id>\?\)/),
    );
    expect(steps).toContainEqual(
      expect.stringMatching(/^SEARCH m .*project_id=\? AND segment_id=\? AND contact_id=\?/),
    );
  }
});

it.each(operators)("asks one contact at a time whether it matches %s, and nothing else", async (operator) => {
  const filter = {
    field: isEventOperator(operator) ? "login" : isSegmentOperator(operator) ? "segment.list0" : "data.since",
    operator,
    value: takenBy(operator) === "window" ? 1 : "2026-01-31",
    unit: "days",
  };
  const condition = FilterCondition.parse({ logic: "AND", groups: [{ filters: [filter] }] });
  for (const statement of statements(condition)) {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    const steps = await planOf({ sql: text, values: params });
    expect(steps.filter((step) => /^(SEARCH|SCAN) (e|m)\b/.test(step) && !/contact_id=\?/.test(step))).toEqual([]);
  }
});
