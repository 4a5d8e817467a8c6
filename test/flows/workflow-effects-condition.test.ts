import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import type { Filter } from "../../src/core/audience/filter";
import { eventOperators, fieldOperators } from "../../src/core/audience/operators";
import { asId, newId, newIdAt, publicId } from "../../src/core/ids";
import type { JsonObject, JsonValue } from "../../src/core/json";
import type { ConditionConfig } from "../../src/core/workflows/steps/condition-config";
import { audienceOf } from "../../src/db/audience";
import { asText, columns } from "../../src/db/rows";
import { select } from "../../src/db/statement";
import type { Scope } from "../../src/engine/workflows/steps/arrival";
import { condition } from "../../src/engine/workflows/steps/condition";
import { type Decision, decide } from "../../src/engine/workflows/steps/decide";
import { getProject } from "../../src/features/projects/project";
import { forProject } from "../../src/platform/context";
import { arrivalAt, eventOf, newStep } from "../support/arrivals";
import { storedId } from "../support/as-seen";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { addMembers, newContact, newSegment, only } from "../support/segment";
import { chooseTopics, newTopic } from "../support/topic";
import { World } from "../support/world";

/** The kinds of values that a field can have. */
const stored: (JsonValue | undefined)[] = [
  ...[undefined, null, "", "pro", "PRO", "42", "true", 0, 1, 42, 42.5, -1, 9007199254740991, 1e308, true, false],
  ...["2026-01-31", "2026-01-31T09:00:00Z", "2026-01-31T23:59:59.999Z", "2026-01-31T23:30:00-05:00", "now"],
  ...[
    ["pro", 42, true, null, "2026-01-31"],
    [],
    { pro: "pro" },
    { y: "pro" },
    { y: { z: 42 } },
    { "y.z": "pro" },
    "[]",
  ],
];

const values = [
  "pro",
  "Pro",
  "",
  "42",
  42,
  42.5,
  0,
  1,
  "true",
  true,
  false,
  "2026-01-31",
  "2026-01-31T09:00:00Z",
  "[]",
];
const sortable = [1, 42, -1, 1e308, "2026-01-31", "2026-01-31T10:00:00+01:00"];

const placeOf = (decision: Decision) => (decision === "gone" ? decision : decision.first);

function filtersOn(field: string): Filter[] {
  return Object.entries(fieldOperators).flatMap(([name, { takes }]): Filter[] => {
    const operator = name as keyof typeof fieldOperators;
    if (takes === "nothing") return [{ field, operator }];
    if (takes === "scalar") return values.map((value) => ({ field, operator, value }));
    if (takes === "sortable") return sortable.map((value) => ({ field, operator, value }));
    return [
      { field, operator, value: 15, unit: "hours" },
      { field, operator, value: 1e300, unit: "days" },
    ];
  });
}

const isOne = (filter: Filter): FilterCondition => ({ logic: "AND", groups: [{ filters: [filter] }] });

async function track(project: TestProject, event: string): Promise<void> {
  const { status } = await call("POST", "/v1/track", { email: "ada@example.com", event }, bearer(project.keys.public));
  expect(status).toBe(200);
}

async function branchesTaken(
  world: World,
  project: TestProject,
  config: ConditionConfig,
  runs: [string, Partial<Scope>][],
) {
  const { ctx } = await world.context(project);
  const step = newStep("CONDITION", config);
  const outcomes = await condition.run(
    ctx,
    runs.map(([contactId, scope]) => arrivalAt(step, contactId, scope)),
  );
  return outcomes.map((outcome) => (outcome.kind === "done" ? outcome.branch : outcome));
}

describe("a CONDITION", () => {
  it("answers as a segment does, whatever is asked of whatever value, and wherever the value is", async () => {
    const [project, world] = [await newProject(), new World()];
    world.now = Date.parse("2026-02-01T00:00:00.000Z");
    const row = await getProject(world.process().platform, project.id);
    const people = stored.map((x, index) => ({
      id: newId(),
      place: index,
      data: (x === undefined ? {} : { x }) as JsonObject,
    }));
    await project.db
      .prepare(
        `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?1, value->>'id', value->>'place' || '@example.com', 1, value->'data', 0, 0 FROM json_each(?2)`,
      )
      .bind(project.number, JSON.stringify(people))
      .run();
    let asked = 0;
    for (const key of ["x", "x.y", "x.y.z"]) {
      const filters = filtersOn(key);
      for (const filter of filters) {
        // Each filter has an invocation of its own.
        const ctx = forProject(world.process().platform, row);
        const { values, matches } = audienceOf(isOne({ ...filter, field: `data.${key}` }), new Map(), ctx.clock());
        const found = await select(
          ctx.db,
          sql`WITH ${values} SELECT c.id FROM contacts c WHERE c.project_id = ${project.number} AND ${matches}`,
          columns({ id: asText }),
        );
        const members = new Set(found.map(({ id }) => id));
        const expected = people.map(({ id }) => (members.has(String(id)) ? 0 : null));
        const ask = async (field: string, scope: (data: JsonObject) => Partial<Scope>) => {
          const runs = people.map(({ id, data }) => ({
            contactId: id,
            values: { event: null, context: {}, steps: {}, ...scope(data) },
          }));
          return (await decide(ctx, [isOne({ ...filter, field })], runs)).map(placeOf);
        };
        const places: [string, (data: JsonObject) => Partial<Scope>][] = [
          [`data.${key}`, () => ({})],
          [`contact.data.${key}`, () => ({})],
          [`event.${key}`, (data) => ({ event: eventOf(data) })],
          [`event.data.${key}`, (data) => ({ event: eventOf(data) })],
          [`context.${key}`, (context) => ({ context })],
          [`steps.my.step.${key}`, (data) => ({ steps: { my: { step: { x: 0 } }, "my.step": data } })],
        ];
        for (const [field, scope] of places) {
          expect(await ask(field, scope), JSON.stringify({ ...filter, field })).toEqual(expected);
          asked += people.length;
        }
      }
    }
    expect(asked).toBeGreaterThan(30_000);
  });

  it("knows the contact as it is now: its row, its topics, its segments and its events", async () => {
    const [project, world] = [await newProject(), new World()];
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const bob = await newContact(project, "bob@example.com", { subscribed: false });
    const topic = await newTopic(project, { defaultSubscribed: true });
    await chooseTopics(project, bob.id, { [topic.slug]: false });
    const fixed = await newSegment(project, { name: "Fixed", type: "STATIC" });
    await addMembers(project, fixed.id, { emails: ["bob@example.com"] });
    const pro = await newSegment(project);
    await track(project, "purchase");
    world.now += 60_000;
    const ask = (config: ConditionConfig) =>
      branchesTaken(world, project, config, [
        [ada.id, {}],
        [bob.id, {}],
      ]);
    for (const prefix of ["", "contact."]) {
      expect(await ask({ field: `${prefix}email`, operator: "equals", value: "ADA@example.com" })).toEqual([
        "yes",
        "no",
      ]);
      expect(await ask({ field: `${prefix}subscribed`, operator: "equals", value: false })).toEqual(["no", "yes"]);
      expect(await ask({ field: `${prefix}data.plan`, operator: "exists" })).toEqual(["yes", "no"]);
      expect(await ask({ field: `${prefix}source`, operator: "equals", value: "API" })).toEqual(["yes", "yes"]);
      expect(await ask({ field: `${prefix}createdAt`, operator: "within", value: 1, unit: "days" })).toEqual([
        "yes",
        "yes",
      ]);
      expect(await ask({ field: `${prefix}topic.${topic.slug}`, operator: "equals", value: true })).toEqual([
        "yes",
        "no",
      ]);
    }
    expect(await ask({ field: "purchase", operator: "triggered" })).toEqual(["yes", "no"]);
    expect(await ask({ field: "event.purchase", operator: "triggeredWithin", value: 1, unit: "days" })).toEqual([
      "yes",
      "no",
    ]);
    expect(await ask({ field: "purchase", operator: "notTriggered" })).toEqual(["no", "yes"]);
    expect(await ask({ field: `segment.${fixed.id}`, operator: "memberOfSegment" })).toEqual(["no", "yes"]);
    expect(await ask({ field: `segment.${pro.id}`, operator: "memberOfSegment" })).toEqual(["yes", "no"]);
    expect(await ask({ condition: only("segment", "notMemberOfSegment", pro.id) })).toEqual(["no", "yes"]);
  });

  it("keeps the event's source apart from its data, and its name where the data has none", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    const event = eventOf({ source: "API", name: "Ada", data: 1 }, { name: "signup", source: "PUBLIC" });
    const ask = (field: string, value: JsonValue) =>
      branchesTaken(world, project, { field, operator: "equals", value: value as string }, [[id, { event }]]);
    expect(await ask("event.source", "PUBLIC")).toEqual(["yes"]);
    expect(await ask("event.source", "API")).toEqual(["no"]);
    expect(await ask("event.data.source", "API")).toEqual(["yes"]);
    expect(await ask("event.name", "Ada")).toEqual(["yes"]);
    expect(await ask("event.data.name", "Ada")).toEqual(["yes"]);
    expect(await ask("event.data.data", 1)).toEqual(["yes"]);
    const nameless = { event: eventOf({ amount: 1 }, { name: "signup" }) };
    const isSignup: ConditionConfig = { field: "event.name", operator: "equals", value: "signup" };
    expect(await branchesTaken(world, project, isSignup, [[id, nameless]])).toEqual(["yes"]);
  });

  it("takes the first branch of several that holds, or the one by default, or none for a contact that is gone", async () => {
    const [project, world] = [await newProject(), new World()];
    const people = await Promise.all(
      ["pro", "team", "free"].map((plan) => newContact(project, `${plan}@example.com`, { data: { plan } })),
    );
    const multi: ConditionConfig = {
      mode: "multi",
      field: "data.plan",
      branches: [
        { id: "b1", name: "Pro", operator: "equals", value: "pro" },
        { id: "b2", name: "Paying", operator: "notEquals", value: "free" },
        { id: "b3", name: "Not pro", operator: "notEquals", value: "pro" },
      ],
    };
    const runs = [...people.map(({ id }) => id), publicId(newId())].map((id): [string, object] => [id, {}]);
    const gone = { kind: "cancelled", reason: "The contact was deleted" };
    expect(await branchesTaken(world, project, multi, runs)).toEqual(["b1", "b2", "b3", gone]);
    const two = { ...multi, branches: multi.branches.slice(0, 2) };
    expect(await branchesTaken(world, project, two, runs)).toEqual(["b1", "b2", "default", gone]);
  });

  it("asks a hundred runs in one statement, which it may repeat", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    const step = newStep("CONDITION", { field: "event.n", operator: "greaterThan", value: 49 });
    const arrivals = Array.from({ length: 100 }, (_, n) => arrivalAt(step, id, { event: eventOf({ n }) }));
    const { ctx, process } = await world.context(project);
    const outcomes = await condition.run(ctx, arrivals);
    expect(process.steps).toEqual(["query"]);
    expect(outcomes.map((outcome) => outcome.kind === "done" && outcome.branch)).toEqual(
      arrivals.map((_, n) => (n > 49 ? "yes" : "no")),
    );
    expect([await condition.run(ctx, arrivals), process.rowsWritten]).toEqual([outcomes, 0]);
  });

  it("holds values of any size that events may have", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    const step = newStep("CONDITION", { field: "event.list", operator: "contains", value: 7 });
    const list = [...Array.from({ length: 6_000 }, (_, n) => n + 10_000), 7];
    const arrivals = Array.from({ length: 100 }, () => arrivalAt(step, id, { event: eventOf({ list }) }));
    const { ctx, process } = await world.context(project);
    expect((await condition.run(ctx, arrivals)).every((one) => one.kind === "done" && one.branch === "yes")).toBe(true);
    expect(process.steps.length).toBeGreaterThan(1);
  });

  const hundred = (filter: Filter) => Array.from({ length: 100 }, () => filter);
  it.each<[what: string, filter: Filter]>([
    ["a path in a run", { field: "event.a.b", operator: "notContains", value: "pro" }],
    ["a path in data", { field: "contact.data.a.b", operator: "notContains", value: "pro" }],
    ["a day", { field: "data.a.b", operator: "notEquals", value: "2026-01-31" }],
    ["a window", { field: "data.a.b", operator: "within", value: 1, unit: "days" }],
    ["an event", { field: "purchase", operator: "triggeredOlderThan", value: 1, unit: "days" }],
    ["a topic", { field: "topic.news", operator: "notEquals", value: true }],
  ])("may have a hundred filters or a hundred branches, in any nesting: %s", async (_, filter) => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    const branches = hundred(filter).map(({ field: _field, ...rest }, n) => ({ id: `b${n}`, name: `B ${n}`, ...rest }));
    expect(
      await branchesTaken(world, project, { mode: "multi", field: filter.field, branches }, [[id, {}]]),
    ).toHaveLength(1);
    let tree: FilterCondition = isOne(filter);
    for (let depth = 1; depth < 30; depth++) {
      tree = { logic: depth % 2 ? "AND" : "OR", groups: [{ filters: [filter, filter, filter], conditions: tree }] };
    }
    tree = { logic: "OR", groups: [{ filters: hundred(filter).slice(0, 12), conditions: tree }] };
    expect(await branchesTaken(world, project, { condition: tree }, [[id, {}]])).toHaveLength(1);
    const longest = Math.max(...world.statements.map(({ sql }) => sql.length));
    expect(longest).toBeLessThan(100_000);
  });

  it("fails when it has grown too large with its segments", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    const large = {
      logic: "AND" as const,
      groups: [
        {
          filters: Array.from(
            { length: 60 },
            () => isOne({ field: "data.a", operator: "exists" as const }).groups[0]?.filters ?? [],
          ).flat(),
        },
      ],
    };
    const segment = await newSegment(project, { condition: large });
    const twice: FilterCondition = {
      logic: "OR",
      groups: [
        ...only(`segment.${segment.id}`, "memberOfSegment").groups,
        ...only(`segment.${segment.id}`, "notMemberOfSegment").groups,
      ],
    };
    expect(await branchesTaken(world, project, { condition: twice }, [[id, {}]])).toEqual([
      { kind: "failed", reason: expect.stringContaining("more than 100 filters") },
    ]);
  });

  it("says what it saw of the fields that it asked", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com", { data: { plan: "free", deep: { tier: 3 } } });
    const step = newStep("CONDITION", {
      condition: {
        logic: "OR",
        groups: ["contact.data.plan", "data.deep.tier", "data.none", "subscribed", "event.amount"].map((field) => ({
          filters: [{ field, operator: "equals" as const, value: "pro" }],
        })),
      },
    });
    const { ctx } = await world.context(project);
    const [outcome] = await condition.run(ctx, [arrivalAt(step, id, { event: eventOf({ amount: 42 }) })]);
    expect(outcome).toEqual({
      kind: "done",
      branch: "no",
      output: { branch: "no" },
      because: 'data.plan is "free", data.deep.tier is 3, data.none is missing, subscribed is true, event.amount is 42',
    });
  });

  it("can be asked of a contact and events that only might be", async () => {
    const [project, world] = [await newProject(), new World()];
    const ada = await newContact(project, "ada@example.com", { data: { plan: "free" } });
    await track(project, "login");
    const { ctx } = await world.context(project);
    const now = new Date(world.now + 10 * 86_400_000);
    const { email, source } = { email: "ada@example.com", source: "API" as const };
    const contact = { email, source, subscribed: false, data: { plan: "pro" }, createdAt: 0, updatedAt: 0 };
    const events = [{ id: newIdAt(now.getTime() - 1_000), name: "purchase" }];
    const run = {
      contactId: asId(storedId(ada.id)),
      values: { event: null, context: {}, steps: {} },
      instead: { contact, events },
    };
    const ask = async (filter: Filter) => (await decide(ctx, [isOne(filter)], [run], now)).map(placeOf);
    expect(await ask({ field: "data.plan", operator: "equals", value: "pro" })).toEqual([0]);
    expect(await ask({ field: "subscribed", operator: "equals", value: false })).toEqual([0]);
    expect(await ask({ field: "createdAt", operator: "olderThan", value: 1, unit: "days" })).toEqual([0]);
    expect(await ask({ field: "purchase", operator: "triggeredWithin", value: 1, unit: "minutes" })).toEqual([0]);
    expect(await ask({ field: "login", operator: "triggered" })).toEqual([0]);
    expect(await ask({ field: "login", operator: "triggeredWithin", value: 1, unit: "days" })).toEqual([null]);
    expect(await ask({ field: "other", operator: "triggered" })).toEqual([null]);
    for (const operator of Object.keys(eventOperators) as (keyof typeof eventOperators)[]) {
      const filters = hundred({ field: "purchase", operator, value: 1, unit: "days" });
      expect(await decide(ctx, [{ logic: "AND", groups: [{ filters }] }], [run], now)).toHaveLength(1);
    }
  });
});
