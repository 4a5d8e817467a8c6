import { describe, expect, it } from "vitest";
import { FilterCondition } from "../../../src/core/audience/condition";
import type { JsonValue } from "../../../src/core/json";
import { Contacts } from "./database";

const now = new Date("2026-02-01T00:00:00.000Z");

/** Who matches one filter. */
function matching(contacts: Contacts, filter: { field: string; operator: string; value?: unknown; unit?: string }) {
  return contacts.matching(FilterCondition.parse({ logic: "AND", groups: [{ filters: [filter] }] }), { now });
}

describe("a field of data", () => {
  /** One contact for each kind of value that `data.x` can have. */
  const stored: Record<string, JsonValue | undefined> = {
    absent: undefined,
    null: null,
    empty: "",
    pro: "pro",
    PRO: "PRO",
    "text 42": "42",
    "text true": "true",
    zero: 0,
    one: 1,
    "n 42": 42,
    "n 42.5": 42.5,
    "-1": -1,
    "2^53": 9007199254740991,
    huge: 1e308,
    true: true,
    false: false,
    day: "2026-01-31",
    "09:00": "2026-01-31T09:00:00Z",
    "23:59": "2026-01-31T23:59:59.999Z",
    "next day": "2026-02-01",
    "23:30-05": "2026-01-31T23:30:00-05:00",
    "no date": "2026-01-31 09:00",
    now: "now",
    list: ["pro", 42, true, null, "2026-01-31"],
    "empty list": [],
    object: { pro: "pro" },
  };
  const contacts = new Contacts();
  for (const [name, x] of Object.entries(stored)) contacts.add(name, { data: x === undefined ? {} : { x } });

  const absent = ["absent", "null"];
  const texts = ["empty", "pro", "PRO", "text 42", "text true"];
  const dates = ["day", "09:00", "23:59", "next day", "23:30-05"];
  const present = Object.keys(stored).filter((name) => !absent.includes(name));
  const but = (...names: string[]) => present.filter((name) => !names.includes(name));

  it.each<[operator: string, value: unknown, who: string[]]>([
    ["equals", "pro", ["pro"]],
    ["equals", "Pro", []],
    ["equals", "", ["empty"]],
    ["equals", "42", ["text 42"]],
    ["equals", 42, ["n 42"]],
    ["equals", 42.5, ["n 42.5"]],
    ["equals", 0, ["zero"]],
    ["equals", -0, ["zero"]],
    ["equals", 1, ["one"]],
    ["equals", 9007199254740991, ["2^53"]],
    ["equals", 1e308, ["huge"]],
    ["equals", "true", ["text true"]],
    ["equals", true, ["true"]],
    ["equals", false, ["false"]],
    ["equals", "2026-01-31", ["day", "09:00", "23:59"]],
    ["equals", "2026-02-01", ["next day", "23:30-05"]],
    ["equals", "2026-01-31T09:00:00Z", ["09:00"]],
    ["equals", "2026-01-31T09:00:00.000Z", []],
    ["equals", "2026-01-31 09:00", ["no date"]],
    ["equals", "now", ["now"]],
    ["equals", "[]", []],
    ["equals", '{"pro":"pro"}', []],
    ["notEquals", "pro", but("pro")],
    ["notEquals", "42", but("text 42")],
    ["notEquals", 42, but("n 42")],
    ["notEquals", 1, but("one")],
    ["notEquals", true, but("true")],
    ["notEquals", false, but("false")],
    ["notEquals", "2026-01-31", but("day", "09:00", "23:59")],
    ["notEquals", "gone", present],
    ["contains", "pro", ["pro", "list"]],
    ["contains", "r", ["pro", "text true"]],
    ["contains", "R", ["PRO"]],
    ["contains", "%", []],
    ["contains", "", [...texts, ...dates, "no date", "now"]],
    ["contains", "42", ["text 42"]],
    ["contains", 42, ["list"]],
    ["contains", 4, []],
    ["contains", true, ["list"]],
    ["contains", 1, []],
    ["contains", false, []],
    ["contains", "null", []],
    ["contains", "2026-01-31", ["day", "09:00", "23:59", "23:30-05", "no date", "list"]],
    ["notContains", "pro", but("pro", "list")],
    ["notContains", "r", but("pro", "text true")],
    ["notContains", 42, but("list")],
    ["notContains", true, but("list")],
    ["notContains", false, present],
    ["greaterThan", 1, ["n 42", "n 42.5", "2^53", "huge"]],
    ["greaterThan", 42, ["n 42.5", "2^53", "huge"]],
    ["greaterThan", 1e308, []],
    ["greaterThanOrEqual", 1, ["one", "n 42", "n 42.5", "2^53", "huge"]],
    ["greaterThanOrEqual", 9007199254740991, ["2^53", "huge"]],
    ["lessThan", 1, ["zero", "-1"]],
    ["lessThan", -1, []],
    ["lessThanOrEqual", 1, ["zero", "one", "-1"]],
    ["greaterThan", "2026-01-31", ["09:00", "23:59", "next day", "23:30-05"]],
    ["greaterThanOrEqual", "2026-01-31", dates],
    ["greaterThan", "2026-01-31T10:00:00+01:00", ["23:59", "next day", "23:30-05"]],
    ["greaterThanOrEqual", "2026-01-31T10:00:00+01:00", ["09:00", "23:59", "next day", "23:30-05"]],
    ["lessThan", "2026-02-01", ["day", "09:00", "23:59"]],
    ["lessThan", "2026-01-31", []],
    ["lessThanOrEqual", "2026-02-01", ["day", "09:00", "23:59", "next day"]],
    ["lessThanOrEqual", "2026-01-31T23:59:59.999Z", ["day", "09:00", "23:59"]],
    ["lessThanOrEqual", "2026-01-31T23:59:59.998Z", ["day", "09:00"]],
    ["exists", undefined, present],
    ["notExists", undefined, absent],
  ])("%s %j", (operator, value, who) => {
    expect(matching(contacts, { field: "data.x", operator, value })).toEqual(who);
  });

  it.each<[operator: string, value: number, unit: string, who: string[]]>([
    ["within", 1, "days", ["day", "09:00", "23:59", "next day"]],
    ["within", 0.5, "days", ["23:59", "next day"]],
    ["within", 15, "hours", ["09:00", "23:59", "next day"]],
    ["within", 1, "minutes", ["23:59", "next day"]],
    ["within", 1e300, "days", ["day", "09:00", "23:59", "next day"]],
    ["olderThan", 1, "days", []],
    ["olderThan", 15, "hours", ["day"]],
    ["olderThan", 899, "minutes", ["day", "09:00"]],
    ["olderThan", 1e300, "days", []],
  ])("%s %d %s", (operator, value, unit, who) => {
    expect(matching(contacts, { field: "data.x", operator, value, unit })).toEqual(who);
  });
});

describe("a key of data is found whatever it is called", () => {
  const keys = ["plan", "first name", "é", "😀", 'say "hi"', "a\\b", "line\nbreak", "\u0001", "__proto__", "toString"];
  const odd = ["$", "$.plan", "[0]", "#-1", "'", "--", "?", "0", "c.data", "a%", "plan.", ".plan", "a..b"];

  it.each([...keys, ...odd])("%j", (key) => {
    const contacts = new Contacts();
    contacts.add("has", {
      data: Object.fromEntries([
        ["other", "pro"],
        [key, "pro"],
      ]),
    });
    contacts.add("has another value", { data: Object.fromEntries([[key, "free"]]) });
    contacts.add("has not", { data: { other: "pro" } });
    const field = `data.${key}`;
    expect(matching(contacts, { field, operator: "equals", value: "pro" })).toEqual(["has"]);
    expect(matching(contacts, { field, operator: "notEquals", value: "pro" })).toEqual(["has another value"]);
    expect(matching(contacts, { field, operator: "contains", value: "r" })).toEqual(["has", "has another value"]);
    expect(matching(contacts, { field, operator: "notExists" })).toEqual(["has not"]);
  });
});

describe("a key with dots", () => {
  const contacts = new Contacts();
  contacts.add("key", { data: { "profile.tier": "gold" } });
  contacts.add("path", { data: { profile: { tier: "gold" } } });
  contacts.add("key before path", { data: { "profile.tier": "silver", profile: { tier: "gold" } } });
  contacts.add("null in path", { data: { profile: { tier: null } } });
  contacts.add("no object", { data: { profile: "tier" } });
  contacts.add("list", { data: { profile: [{ tier: "gold" }] } });
  contacts.add("deeper", { data: { profile: { tier: { name: "gold" } } } });

  it.each<[field: string, operator: string, value: unknown, who: string[]]>([
    ["data.profile.tier", "equals", "gold", ["key", "path"]],
    ["data.profile.tier", "notEquals", "gold", ["key before path", "deeper"]],
    ["data.profile.tier", "exists", undefined, ["key", "path", "key before path", "deeper"]],
    ["data.profile.tier", "notExists", undefined, ["null in path", "no object", "list"]],
    ["data.profile.tier.name", "equals", "gold", ["deeper"]],
    ["data.profile.0.tier", "exists", undefined, []],
    ["data.profile", "contains", "ie", ["no object"]],
  ])("%s %s %j", (field, operator, value, who) => {
    expect(matching(contacts, { field, operator, value })).toEqual(who);
  });
});

describe("a date in data", () => {
  const contacts = new Contacts();
  const at = (x: string) => contacts.add(x, { data: { x } });
  at("2026-01-31T12:00:00.5Z");
  at("2026-01-31T12:00:00.500400Z");
  at("2026-01-31T12:00:00.500600Z");
  at("2026-01-31T12:00Z");
  at("2026-01-31T12:00:00+00:00");
  at("2026-02-30");
  for (const none of ["2026-13-01", "2026-01-32", "2026-01-31T25:00:00Z", "2026-01-31T12:00:00", "2026-1-31"]) at(none);
  for (const none of ["12:30", "2461072.5", "now", "31-01-2026", "2026-01-31T12:00:00Zzz", " 2026-01-31"]) at(none);

  it.each<[operator: string, value: string, who: string[]]>([
    ["greaterThan", "2026-01-31T12:00:00.500Z", ["2026-01-31T12:00:00.500600Z", "2026-02-30"]],
    ["greaterThan", "2026-01-31T12:00:00.500600Z", ["2026-02-30"]],
    ["lessThan", "2026-01-31T12:00:00.5Z", ["2026-01-31T12:00Z", "2026-01-31T12:00:00+00:00"]],
    // Days that a month does not have roll over into the next.
    ["equals", "2026-03-02", ["2026-02-30"]],
  ])("%s %s", (operator, value, who) => {
    expect(matching(contacts, { field: "data.x", operator, value })).toEqual(who);
  });

  it("is nothing else that SQLite would read as a time", () => {
    expect(matching(contacts, { field: "data.x", operator: "within", value: 1e9, unit: "days" })).toEqual([
      "2026-01-31T12:00:00.5Z",
      "2026-01-31T12:00:00.500400Z",
      "2026-01-31T12:00:00.500600Z",
      "2026-01-31T12:00Z",
      "2026-01-31T12:00:00+00:00",
    ]);
  });
});

describe("the standard fields", () => {
  const contacts = new Contacts();
  const day = (text: string) => Date.parse(text);
  contacts.add("ada", { email: "ada@example.com", subscribed: true, createdAt: day("2026-01-30T12:00Z") });
  contacts.add("bob", { email: "bob@xn--bcher-kva.test", subscribed: false, createdAt: day("2026-01-31") });
  contacts.add("cyd", { email: "cyd@example.com", subscribed: true, createdAt: day("2026-01-31T23:59:59.999Z") });
  contacts.add("dan", { email: "d%_n@example.org", subscribed: false, createdAt: now.getTime() });
  contacts.add("eve", { email: "eve+ada@example.com", subscribed: true, createdAt: now.getTime() + 1 });
  const everyone = ["ada", "bob", "cyd", "dan", "eve"];
  const but = (...names: string[]) => everyone.filter((name) => !names.includes(name));

  it.each<[field: string, operator: string, value: unknown, who: string[]]>([
    ["email", "equals", "ada@example.com", ["ada"]],
    ["email", "equals", " ADA@Example.com ", ["ada"]],
    ["email", "equals", "bob@bücher.test", ["bob"]],
    ["email", "equals", "ada", []],
    ["email", "equals", true, []],
    ["email", "equals", "2026-01-31", []],
    ["email", "notEquals", "ada@example.com", but("ada")],
    ["email", "notEquals", "ADA@EXAMPLE.COM", but("ada")],
    ["email", "notEquals", 42, everyone],
    ["email", "contains", "ada", ["ada", "eve"]],
    ["email", "contains", "ADA", ["ada", "eve"]],
    ["email", "contains", "%_", ["dan"]],
    ["email", "contains", "", everyone],
    ["email", "notContains", "Example.COM", ["bob", "dan"]],
    ["email", "exists", undefined, everyone],
    ["email", "notExists", undefined, []],
    ["email", "greaterThan", 1, []],
    ["email", "lessThan", "2026-01-31", []],
    ["subscribed", "equals", true, ["ada", "cyd", "eve"]],
    ["subscribed", "equals", false, ["bob", "dan"]],
    ["subscribed", "equals", "true", []],
    ["subscribed", "equals", 1, []],
    ["subscribed", "notEquals", true, ["bob", "dan"]],
    ["subscribed", "notEquals", false, ["ada", "cyd", "eve"]],
    ["subscribed", "notEquals", "true", everyone],
    ["subscribed", "exists", undefined, everyone],
    ["subscribed", "notExists", undefined, []],
    ["subscribed", "contains", true, []],
    ["subscribed", "notContains", true, everyone],
    ["subscribed", "greaterThan", 0, []],
    ["createdAt", "equals", "2026-01-31", ["bob", "cyd"]],
    ["createdAt", "equals", "2026-01-31T00:00:00Z", ["bob"]],
    ["createdAt", "equals", "2026-01-31T01:00:00.000+01:00", ["bob"]],
    ["createdAt", "equals", "yesterday", []],
    ["createdAt", "equals", 0, []],
    ["createdAt", "notEquals", "2026-01-31", but("bob", "cyd")],
    ["createdAt", "notEquals", "yesterday", everyone],
    ["createdAt", "greaterThan", "2026-01-31", ["cyd", "dan", "eve"]],
    ["createdAt", "greaterThanOrEqual", "2026-01-31", but("ada")],
    ["createdAt", "lessThan", "2026-01-31", ["ada"]],
    ["createdAt", "lessThanOrEqual", "2026-01-31T23:59:59.999Z", ["ada", "bob", "cyd"]],
    ["createdAt", "greaterThan", 0, []],
    ["createdAt", "contains", "2026", []],
    ["createdAt", "notContains", "2026", everyone],
    ["createdAt", "exists", undefined, everyone],
    ["createdAt", "notExists", undefined, []],
    ["updatedAt", "equals", "1970-01-01", everyone],
    ["updatedAt", "lessThan", "1970-01-01", []],
  ])("%s %s %j", (field, operator, value, who) => {
    expect(matching(contacts, { field, operator, value })).toEqual(who);
  });

  it.each<[field: string, operator: string, value: number, unit: string, who: string[]]>([
    ["createdAt", "within", 1, "days", ["bob", "cyd", "dan"]],
    ["createdAt", "within", 1, "minutes", ["cyd", "dan"]],
    ["createdAt", "olderThan", 1, "days", ["ada"]],
    ["createdAt", "olderThan", 1439, "minutes", ["ada", "bob"]],
    ["createdAt", "within", 1e300, "days", but("eve")],
    ["createdAt", "olderThan", 1e300, "days", []],
    ["updatedAt", "within", 1, "days", []],
    ["email", "within", 1e9, "days", []],
    ["subscribed", "olderThan", 1, "minutes", []],
  ])("%s %s %d %s", (field, operator, value, unit, who) => {
    expect(matching(contacts, { field, operator, value, unit })).toEqual(who);
  });
});

describe("events", () => {
  const contacts = new Contacts();
  const ago = (ms: number) => now.getTime() - ms;
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  contacts.add("now");
  contacts.addEvent("now", "purchase", ago(0));
  contacts.add("a day ago");
  contacts.addEvent("a day ago", "purchase", ago(day));
  contacts.add("longer ago");
  contacts.addEvent("longer ago", "purchase", ago(day + 1));
  contacts.add("both");
  contacts.addEvent("both", "purchase", ago(30 * day));
  contacts.addEvent("both", "purchase", ago(hour));
  contacts.add("another event");
  contacts.addEvent("another event", "Purchase", ago(minute));
  contacts.addEvent("another event", "event.purchase", ago(minute));
  contacts.add("never");
  // The same contact id in another project: its events say nothing here.
  contacts.addEvent("never", "purchase", ago(minute), 2);

  it.each<[operator: string, value: number | undefined, unit: string | undefined, who: string[]]>([
    ["triggered", undefined, undefined, ["now", "a day ago", "longer ago", "both"]],
    ["notTriggered", undefined, undefined, ["another event", "never"]],
    ["triggeredWithin", 1, "days", ["now", "a day ago", "both"]],
    ["triggeredWithin", 60, "minutes", ["now", "both"]],
    ["triggeredWithin", 0.5, "hours", ["now"]],
    ["triggeredWithin", 1e300, "days", ["now", "a day ago", "longer ago", "both"]],
    ["triggeredOlderThan", 1, "days", ["longer ago"]],
    ["triggeredOlderThan", 23, "hours", ["a day ago", "longer ago"]],
    ["triggeredOlderThan", 1e300, "days", []],
    ["notTriggeredWithin", 1, "days", ["longer ago", "another event", "never"]],
    ["notTriggeredWithin", 1, "minutes", ["a day ago", "longer ago", "both", "another event", "never"]],
  ])("%s %s %s", (operator, value, unit, who) => {
    expect(matching(contacts, { field: "purchase", operator, value, unit })).toEqual(who);
    expect(matching(contacts, { field: "event.purchase", operator, value, unit })).toEqual(who);
  });

  it("are found by any name", () => {
    for (const [index, name] of ["email.opened", "segment.vip.entry", 'it\'s "x"', "é", "42", "data.plan"].entries()) {
      contacts.add(`any ${index}`);
      contacts.addEvent(`any ${index}`, name, ago(minute));
      expect(matching(contacts, { field: name, operator: "triggered" })).toEqual([`any ${index}`]);
    }
    expect(matching(contacts, { field: "event.event.purchase", operator: "triggered" })).toEqual(["another event"]);
  });
});
