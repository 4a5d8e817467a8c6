import fc from "fast-check";
import { expect, it } from "vitest";
import { compile, type Need } from "../../../src/core/audience/compile";
import { FilterCondition, type SegmentSource } from "../../../src/core/audience/condition";
import type { JsonObject, JsonValue } from "../../../src/core/json";
import { contactResolver } from "../../../src/db/audience";
import { Contacts } from "./database";
import { isMatch, type Person, topicDefaults } from "./oracle";

const now = Date.parse("2026-02-01T12:00:00.000Z");
const worlds = 100;
const treesInEach = 20;

// Few values each, so that they meet.
const key = fc.constantFrom("a", "b", "a.b", "é", "__proto__", 'say "hi"', "");
const text = fc.constantFrom("", "pro", "PRO", "p", "42", "true", "é", "null", "[]", "now", "%", "ada0@example.com");
const date = fc.constantFrom(
  "2026-01-31",
  "2026-02-01",
  "2026-01-31T23:59:59.999Z",
  "2026-02-01T00:00:00Z",
  "2026-02-01T01:00:00+01:00",
  "2026-02-01T12:00:00.000Z",
  "2026-02-01T12:00:00.001Z",
  "2026-01-31 12:00",
  "2026-13-45",
);
const number = fc.constantFrom(0, -0, 1, 42, 1.5, -1, 1e308, -1e308, 2 ** 53, 2 ** 62, 1e21, 5e-324, 0.1 + 0.2);
const scalar = fc.oneof(text, date, number, fc.boolean());
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: fc.array(tie("json"), { maxLength: 3 }), weight: 2 },
    { arbitrary: fc.array(fc.tuple(key, tie("json")), { maxLength: 3 }).map(Object.fromEntries), weight: 2 },
  ),
}));
const data: fc.Arbitrary<JsonObject> = fc.array(fc.tuple(key, json), { maxLength: 7 }).map(Object.fromEntries);

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const time = fc.constantFrom(
  ...[0, 1, minute, hour, hour + 1, day, day + 1, 40 * day, -1, -day].map((ago) => now - ago),
);
const eventName = fc.constantFrom("purchase", "email.opened", "é");
const person: fc.Arbitrary<Person> = fc.record({
  email: fc.constantFrom("ada@example.com", "bob@example.org"),
  subscribed: fc.boolean(),
  createdAt: time,
  data,
  events: fc.array(fc.record({ name: eventName, at: time }), { maxLength: 3 }),
  memberOf: fc.uniqueArray(fc.constantFrom("s0", "s1"), { maxLength: 2 }),
  topics: fc.record({ news: fc.boolean(), offers: fc.boolean() }, { requiredKeys: [] }),
});

const dataField = fc.oneof(
  key.map((name) => `data.${name}`),
  fc.tuple(key, key).map((path) => `data.${path.join(".")}`),
);
const field = fc.oneof({ arbitrary: dataField, weight: 4 }, fc.constantFrom("email", "subscribed", "createdAt"));
const window = fc.record({
  value: fc.constantFrom(1, 24, 0.5, 60, 1e9),
  unit: fc.constantFrom("days", "hours", "minutes"),
});
const eventField = fc.oneof(
  eventName,
  eventName.map((name) => `event.${name}`),
);

function filterWith(segments: string[]) {
  const segment = fc.constantFrom(...segments);
  const operator = fc.constantFrom("memberOfSegment", "notMemberOfSegment");
  return fc.oneof(
    {
      arbitrary: fc.record({
        field,
        operator: fc.constantFrom("equals", "notEquals", "contains", "notContains"),
        value: scalar,
      }),
      weight: 5,
    },
    {
      arbitrary: fc.record({
        field,
        operator: fc.constantFrom("greaterThan", "greaterThanOrEqual", "lessThan", "lessThanOrEqual"),
        value: fc.oneof(number, date),
      }),
      weight: 3,
    },
    fc.record({ field, operator: fc.constantFrom("exists", "notExists") }),
    fc
      .tuple(fc.record({ field, operator: fc.constantFrom("within", "olderThan") }), window)
      .map(([asked, length]) => ({ ...asked, ...length })),
    fc.record({ field: eventField, operator: fc.constantFrom("triggered", "notTriggered") }),
    fc
      .tuple(
        fc.record({
          field: eventField,
          operator: fc.constantFrom("triggeredWithin", "triggeredOlderThan", "notTriggeredWithin"),
        }),
        window,
      )
      .map(([asked, length]) => ({ ...asked, ...length })),
    fc.record({
      field: fc.constantFrom("topic.news", "topic.offers"),
      operator: fc.constantFrom("equals", "notEquals"),
      value: fc.boolean(),
    }),
    fc.tuple(segment, operator).map(([id, wanted]) => ({ field: `segment.${id}`, operator: wanted })),
    fc.tuple(segment, operator).map(([value, wanted]) => ({ field: "segment", operator: wanted, value })),
  );
}

/** Conditions as a caller sends them. Some are refused: a wrong date, a key of no length. */
function treeWith(segments: string[]): fc.Arbitrary<unknown> {
  const filter = filterWith(segments);
  return fc.letrec((tie) => ({
    condition: fc.record({
      // More OR, as the filters of a group are ANDed: else next to nobody would match.
      logic: fc.constantFrom("AND", "OR", "OR"),
      groups: fc.array(tie("group"), { minLength: 1, maxLength: 3 }),
    }),
    group: fc.oneof(
      { maxDepth: 4, depthSize: "medium" },
      fc.record({ filters: fc.array(filter, { minLength: 1, maxLength: 2 }) }),
      fc.record({ filters: fc.array(filter, { maxLength: 1 }), conditions: tie("condition") }),
    ),
  })).condition;
}

function isMetBy({ email, events, memberOf }: Person): (need: Need) => boolean {
  return (need) => {
    if ("email" in need) return email === need.email;
    if ("memberOf" in need) return memberOf.includes(need.memberOf);
    return events.some(({ name, at }) => name === need.event && at >= (need.fromMs ?? Number.NEGATIVE_INFINITY));
  };
}

const accepted = (tree: unknown) => FilterCondition.safeParse(tree).success;
const members = ["s0", "s1"];
const world = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 10 }),
  inner: treeWith(members).filter(accepted),
  outer: treeWith([...members, "inner"]).filter(accepted),
  trees: fc.array(treeWith([...members, "inner", "outer"]).filter(accepted), {
    minLength: treesInEach,
    maxLength: treesInEach,
  }),
});

it(`finds whom the rules say, each with all that is needed, for ${worlds * treesInEach} conditions over all kinds of contacts and events`, () => {
  const contacts = new Contacts();
  for (const [slug, isIn] of Object.entries(topicDefaults)) contacts.addTopic(slug, isIn);
  const property = fc.property(world, ({ people, inner, outer, trees }) => {
    const segments: Record<string, SegmentSource> = {
      s0: "members",
      s1: "members",
      inner: FilterCondition.parse(inner),
      outer: FilterCondition.parse(outer),
    };
    contacts.clear();
    const stored = people.map((one, index) => ({ ...one, email: one.email.replace("@", `${index}@`) }));
    for (const [index, { events, memberOf, topics, ...row }] of stored.entries()) {
      const name = `c${index}`;
      contacts.add(name, row);
      for (const event of events) contacts.addEvent(name, event.name, event.at);
      for (const [slug, isIn] of Object.entries(topics)) contacts.choose(slug, name, isIn);
      for (const segment of memberOf) contacts.addMember(segment, name);
    }
    for (const tree of trees) {
      const condition = FilterCondition.parse(tree);
      const matching = stored.filter((one) => isMatch(condition, one, segments, now));
      const expected = matching.map((one) => `c${stored.indexOf(one)}`);
      expect(contacts.matching(condition, { now: new Date(now), segments }), JSON.stringify(tree)).toEqual(expected);
      const { needs } = compile(condition, contactResolver(new Map(Object.entries(segments))), new Date(now));
      const lacking = matching.filter((one) => !needs.every(isMetBy(one)));
      expect(lacking, JSON.stringify([tree, needs])).toEqual([]);
    }
  });
  // The same conditions each time; another seed finds others.
  fc.assert(property, { numRuns: worlds, seed: 20260201 });
}, 60_000);
