import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { compile, type Resolver } from "../../../src/core/audience/compile";
import { conditionSchema, FilterCondition, type FilterGroup, filterSchema } from "../../../src/core/audience/condition";
import { isContactField } from "../../../src/core/audience/fields";
import { jsonOperand } from "../../../src/core/audience/operand";
import { contactResolver } from "../../../src/db/audience";
import { dialect } from "../../../src/db/client";
import { Contacts } from "./database";

const now = new Date("2026-02-01T00:00:00.000Z");
const is = (...keys: string[]) => keys.map((key) => ({ field: `data.${key}`, operator: "equals" as const, value: 1 }));
const all = (...groups: FilterGroup[]): FilterCondition => ({ logic: "AND", groups });
const any = (...groups: FilterGroup[]): FilterCondition => ({ logic: "OR", groups });
const group = (filters: FilterGroup["filters"], conditions?: FilterCondition): FilterGroup => ({ filters, conditions });

/** One contact for each choice of a, b, c and d, named by the keys that it has: `ac`. */
const letters = ["a", "b", "c", "d"];
const choices = Array.from({ length: 2 ** letters.length }, (_, bits) =>
  letters.filter((_letter, index) => bits & (1 << index)).join(""),
);
const contacts = new Contacts();
for (const name of choices) contacts.add(name, { data: Object.fromEntries([...name].map((key) => [key, 1])) });

describe("logic", () => {
  it.each<[what: string, condition: FilterCondition, holds: (has: (key: string) => boolean) => boolean]>([
    ["a", all(group(is("a"))), (has) => has("a")],
    ["a and b, in one group", any(group(is("a", "b"))), (has) => has("a") && has("b")],
    ["a and b, in two", all(group(is("a")), group(is("b"))), (has) => has("a") && has("b")],
    ["a or b", any(group(is("a")), group(is("b"))), (has) => has("a") || has("b")],
    [
      "(a and b) or (c and d)",
      any(group(is("a", "b")), group(is("c", "d"))),
      (has) => (has("a") && has("b")) || (has("c") && has("d")),
    ],
    [
      "(a or b) and (c or d)",
      all(group([], any(group(is("a")), group(is("b")))), group([], any(group(is("c")), group(is("d"))))),
      (has) => (has("a") || has("b")) && (has("c") || has("d")),
    ],
    [
      "a and (b or (c and d))",
      all(group(is("a"), any(group(is("b")), group(is("c", "d"))))),
      (has) => has("a") && (has("b") || (has("c") && has("d"))),
    ],
    [
      "a or (b and (c or d))",
      any(group(is("a")), group(is("b"), any(group(is("c")), group(is("d"))))),
      (has) => has("a") || (has("b") && (has("c") || has("d"))),
    ],
  ])("%s", (_, condition, holds) => {
    expect(contacts.matching(condition)).toEqual(choices.filter((name) => holds((key) => name.includes(key))));
  });
});

describe("topics in a condition", () => {
  const people = new Contacts();
  people.addTopic("news", true);
  people.addTopic("offers", false);
  people.addTopic("gone", true, { isDeleted: true });
  people.addTopic("theirs", true, { projectId: 2 });
  for (const name of ["ada", "bob", "eve"]) people.add(name, { subscribed: name !== "eve" });
  people.choose("news", "ada", false);
  people.choose("offers", "bob", true);
  people.choose("offers", "ada", true, 2);
  people.choose("gone", "ada", true);

  it.each<[slug: string, operator: "equals" | "notEquals", value: boolean, who: string[]]>([
    ["news", "equals", true, ["bob", "eve"]],
    ["news", "equals", false, ["ada"]],
    ["news", "notEquals", true, ["ada"]],
    ["news", "notEquals", false, ["bob", "eve"]],
    ["offers", "equals", true, ["bob"]],
    ["offers", "notEquals", true, ["ada", "eve"]],
    // Nobody may name these. If somebody did, it would hold for nobody.
    ["gone", "equals", true, []],
    ["gone", "notEquals", true, []],
    ["theirs", "equals", true, []],
    ["theirs", "notEquals", false, []],
  ])("topic.%s %s %s: by choice, else by default, subscribed or not", (slug, operator, value, who) => {
    expect(people.matching(all(group([{ field: `topic.${slug}`, operator, value }])))).toEqual(who);
  });

  it("is asked after what the contact alone decides, and counts as three lookups", () => {
    const { values, matches, lookups } = compile(
      all(group([{ field: "topic.news", operator: "equals", value: true }, ...is("a")])),
      contactResolver(new Map()),
      now,
    );
    const { sql: text } = dialect.sqlToQuery(sql`WITH ${values} SELECT ${matches}`);
    expect(lookups).toBe(3);
    expect(text.indexOf("c.data")).toBeLessThan(text.indexOf("contact_topics"));
  });

  it("may be a hundred, in any nesting", () => {
    const filter = { field: "topic.news", operator: "notEquals" as const, value: true };
    let tree = any(group([filter]));
    for (let depth = 1; depth < 30; depth++) {
      tree = { logic: depth % 2 === 0 ? "AND" : "OR", groups: [group([filter, filter, filter], tree)] };
    }
    expect(people.matching(tree)).toEqual(["ada"]);
    const { values, matches } = compile(tree, contactResolver(new Map()), now);
    expect(dialect.sqlToQuery(sql`WITH ${values} SELECT ${matches}`).sql.length).toBeLessThan(92_000);
  });
});

describe("segments in a condition", () => {
  const member = (id: string) => ({ field: `segment.${id}`, operator: "memberOfSegment" as const });
  const stranger = (value: string) => ({ field: "segment", operator: "notMemberOfSegment" as const, value });
  const segments = {
    list: "members" as const,
    "a or b": any(group(is("a")), group(is("b"))),
    "not (a or b)": all(group([stranger("a or b")])),
    "not not (a or b), or c": any(group([stranger("not (a or b)")]), group(is("c"))),
  };
  const people = new Contacts();
  for (const name of choices) people.add(name, { data: Object.fromEntries([...name].map((key) => [key, 1])) });
  for (const name of ["a", "bc"]) people.addMember("list", name);
  people.addMember("another list", "d");
  people.addMember("list", "d", 2);

  it.each<[filter: FilterGroup["filters"][number], holds: (name: string) => boolean]>([
    [member("list"), (name) => ["a", "bc"].includes(name)],
    [stranger("list"), (name) => !["a", "bc"].includes(name)],
    [member("a or b"), (name) => /[ab]/.test(name)],
    [stranger("a or b"), (name) => !/[ab]/.test(name)],
    [member("not (a or b)"), (name) => !/[ab]/.test(name)],
    [stranger("not (a or b)"), (name) => /[ab]/.test(name)],
    [member("not not (a or b), or c"), (name) => /[abc]/.test(name)],
    [stranger("not not (a or b), or c"), (name) => !/[abc]/.test(name)],
  ])("%j", (filter, holds) => {
    expect(people.matching(all(group([filter])), { segments })).toEqual(choices.filter(holds));
  });

  it("that were not loaded find nobody, and not everybody who is not in them", () => {
    expect(() => people.matching(all(group([stranger("gone")])))).toThrow("gone");
  });
});

describe("the text of a statement", () => {
  const condition = FilterCondition.parse(
    all(
      group([
        { field: 'data.it\'s "x".y', operator: "equals", value: "'); DROP TABLE contacts; --" },
        { field: "o'brien", operator: "triggeredWithin", value: 7, unit: "days" },
        { field: "segment.list", operator: "memberOfSegment" },
      ]),
    ),
  );
  const textOf = (tree: FilterCondition, at = now) => {
    const { values, matches } = compile(tree, contactResolver(new Map([["list", "members"]])), at);
    const { sql: text, params } = dialect.sqlToQuery(sql`WITH ${values} SELECT ${matches}`);
    return { text, params };
  };

  it("is the same each time, and holds nothing that a caller wrote", () => {
    const { text, params } = textOf(condition);
    expect(textOf(structuredClone(condition))).toEqual({ text, params });
    expect(text).not.toMatch(/it's|DROP|o'brien|list|days/);
    expect(params).toHaveLength(1);
  });

  it("is the same for another value, name and time", () => {
    const renamed = JSON.parse(JSON.stringify(condition).replaceAll("brien", "hara").replaceAll("DROP", "drop"));
    expect(textOf(renamed, new Date(0)).text).toBe(textOf(condition).text);
  });

  it("asks for what the contact has itself before it asks elsewhere", () => {
    const elsewhere = { field: "purchase", operator: "triggered" };
    const inList = { field: "segment.list", operator: "memberOfSegment" };
    const condition = {
      logic: "AND",
      groups: [{ filters: [elsewhere, inList] }, { filters: [elsewhere, ...is("a", "b")] }],
    };
    const { text } = textOf(FilterCondition.parse(condition));
    expect(text.indexOf("c.data")).toBeLessThan(text.indexOf("EXISTS"));
  });

  it("names a value once, however often it is asked for", () => {
    const { params } = textOf(all(group(is("a", "b")), group(is("a", "b"))));
    expect(params).toEqual([JSON.stringify(['$."a"', 1, '$."b"'])]);
  });
});

describe("other fields than those of a contact", () => {
  const data = { plan: "pro", amount: 49.5, items: ["book"], "a.b": true, deep: { at: "2026-01-31T09:00:00Z" } };
  const isField = (name: string) => isContactField(name) || name.startsWith("event.");
  const WithEvent = conditionSchema(filterSchema({ isField, listed: "data.<key> or event.<key>" }, "Step"), "Step");
  const contactsAlone = contactResolver(new Map());
  const resolver: Resolver = {
    ...contactsAlone,
    field: (name, bind) =>
      name.startsWith("event.")
        ? jsonOperand(bind(data), name.slice("event.".length), bind)
        : contactsAlone.field(name, bind),
  };
  const people = new Contacts();
  people.add("ada", { data: { plan: "pro" } });
  people.add("bob", { data: { plan: "free" } });

  it.each<[filter: Record<string, unknown>, who: string[]]>([
    [{ field: "event.plan", operator: "equals", value: "pro" }, ["ada", "bob"]],
    [{ field: "event.plan", operator: "equals", value: "free" }, []],
    [{ field: "event.amount", operator: "greaterThan", value: 49 }, ["ada", "bob"]],
    [{ field: "event.items", operator: "contains", value: "book" }, ["ada", "bob"]],
    [{ field: "event.a.b", operator: "equals", value: true }, ["ada", "bob"]],
    [{ field: "event.deep.at", operator: "within", value: 1, unit: "days" }, ["ada", "bob"]],
    [{ field: "event.gone", operator: "exists" }, []],
    [{ field: "data.plan", operator: "equals", value: "pro" }, ["ada"]],
  ])("%j", (filter, who) => {
    const condition = WithEvent.parse({ logic: "AND", groups: [{ filters: [filter] }] });
    expect(people.matching(condition, { now, resolver })).toEqual(who);
  });

  it("are refused where only those of a contact are known", () => {
    const condition = all(group([{ field: "event.plan", operator: "equals", value: "pro" }]));
    expect(FilterCondition.safeParse(condition).success).toBe(false);
    expect(() => people.matching(condition)).toThrow("event.plan");
  });
});
